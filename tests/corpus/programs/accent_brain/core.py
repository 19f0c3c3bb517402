"""The loop that all recipes share."""

import enum

import torch


class Stage(enum.Enum):
    TRAIN = 1
    VALID = 2


class Brain:
    def __init__(self, modules, opt_class, hparams):
        self.modules, self.hparams = modules, hparams
        self.optimizer = opt_class(self.modules.parameters())
        self.grad_accumulation_factor = hparams.grad_accumulation_factor
        self.max_grad_norm = hparams.max_grad_norm
        self.step = self.optimizer_step = 0
        self.avg_train_loss = 0.0
        self.nonfinite_count = 0

    def compute_forward(self, batch, stage):
        raise NotImplementedError

    def compute_objectives(self, predictions, batch, stage):
        raise NotImplementedError

    def on_stage_end(self, stage, stage_loss, epoch):
        pass

    def check_gradients(self):
        norm = torch.nn.utils.clip_grad_norm_(self.modules.parameters(), self.max_grad_norm)
        if not torch.isfinite(norm):
            self.nonfinite_count += 1
            return False
        return True

    def fit_batch(self, batch):
        should_step = self.step % self.grad_accumulation_factor == 0
        outputs = self.compute_forward(batch, Stage.TRAIN)
        loss = self.compute_objectives(outputs, batch, Stage.TRAIN)
        (loss / self.grad_accumulation_factor).backward()
        if should_step:
            if self.check_gradients():
                self.optimizer.step()
            self.optimizer.zero_grad()
            self.optimizer_step += 1
        return loss.detach()

    @torch.no_grad()
    def evaluate_batch(self, batch):
        out = self.compute_forward(batch, stage=Stage.VALID)
        return self.compute_objectives(out, batch, stage=Stage.VALID)

    def update_average(self, loss, avg_loss):
        return avg_loss + (float(loss) - avg_loss) / self.step

    def fit(self, epochs, train_set, valid_set):
        for self.epoch in range(1, epochs + 1):
            self.modules.train()
            self.step, self.avg_train_loss = 0, 0.0
            for batch in train_set:
                self.step += 1
                loss = self.fit_batch(batch)
                self.avg_train_loss = self.update_average(loss, self.avg_train_loss)
            self.on_stage_end(Stage.TRAIN, self.avg_train_loss, self.epoch)
            self.modules.eval()
            valid = [self.evaluate_batch(batch) for batch in valid_set]
            self.on_stage_end(Stage.VALID, torch.stack(valid).mean().item(), self.epoch)
