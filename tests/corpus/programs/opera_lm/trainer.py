from dataclasses import dataclass

import torch


@dataclass
class TrainingArguments:
    per_device_train_batch_size: int = 6
    gradient_accumulation_steps: int = 3
    num_train_epochs: int = 2
    learning_rate: float = 3e-3
    max_grad_norm: float = 1.0
    z_delta: tuple[float, float] = (4.0, 1.0)
    logging_steps: int = 2
    seed: int = 21


class Trainer:
    def __init__(self, model, args, train_dataset, smoother, z_loss):
        self.model, self.args = model, args
        self.smoother, self.z_loss = smoother, z_loss
        self.loader = torch.utils.data.DataLoader(
            train_dataset,
            batch_size=args.per_device_train_batch_size,
            shuffle=True,
            drop_last=True,
            generator=torch.Generator().manual_seed(args.seed),
        )
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
        total = args.num_train_epochs * len(self.loader) // args.gradient_accumulation_steps
        self.scheduler = torch.optim.lr_scheduler.LinearLR(self.optimizer, 1.0, 0.1, total)
        self.global_step = 0

    def compute_loss(self, inputs):
        logits = self.model(inputs["input_ids"])
        return self.smoother(logits, inputs["labels"]) + self.z_loss(logits)

    def training_step(self, inputs):
        self.model.train()
        loss = self.compute_loss(inputs) / self.args.gradient_accumulation_steps
        loss.backward()
        return loss.detach()

    def on_epoch_begin(self, epoch):
        start, end = self.args.z_delta
        share = epoch / max(1, self.args.num_train_epochs - 1)
        self.z_loss.delta = start + share * (end - start)

    def optimizer_step(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm)
        self.optimizer.step()
        self.scheduler.step()
        self.model.zero_grad()
        self.global_step += 1

    def train(self):
        tr_loss = torch.zeros(())
        for epoch in range(self.args.num_train_epochs):
            self.on_epoch_begin(epoch)
            for step, inputs in enumerate(self.loader):
                tr_loss += self.training_step(inputs)
                if (step + 1) % self.args.gradient_accumulation_steps:
                    continue
                self.optimizer_step()
                if self.global_step % self.args.logging_steps == 0:
                    mean = tr_loss.item() / self.args.logging_steps
                    lr = self.scheduler.get_last_lr()[0]
                    print({"step": self.global_step, "loss": round(mean, 4), "lr": round(lr, 5)})
                    tr_loss.zero_()
