"""Fine-tune the herb encoder."""

import torch
from configuration import HerbConfig, TrainingArguments
from modeling_herb import HerbForSequenceClassification
from torch.utils.data import DataLoader, TensorDataset
from tuning import herb_notes, parameter_groups, thaw


class Trainer:
    def __init__(self, model, args, train_dataset):
        self.model, self.args = model, args
        self.loader = DataLoader(
            train_dataset,
            batch_size=args.per_device_train_batch_size,
            shuffle=True,
            drop_last=True,
        )
        self.optimizer = torch.optim.AdamW(parameter_groups(model, args))
        self.global_step = 0

    def training_step(self, batch):
        self.model.train()
        loss, _ = self.model(*batch)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def train(self):
        running = torch.zeros(())
        for epoch in range(self.args.num_train_epochs):
            thaw(self.model, epoch)
            for batch in self.loader:
                running += self.training_step(batch)
                self.global_step += 1
                if self.global_step % self.args.logging_steps == 0:
                    mean = running.item() / self.args.logging_steps
                    running.zero_()
                    print({"loss": round(mean, 4), "epoch": epoch, "step": self.global_step})


if __name__ == "__main__":
    args, config = TrainingArguments(), HerbConfig()
    torch.manual_seed(args.seed)
    notes = TensorDataset(*herb_notes(config, 34, 10, args.seed))
    Trainer(HerbForSequenceClassification(config), args, notes).train()
