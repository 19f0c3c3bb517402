"""A much reduced Brain: override what differs, call fit and evaluate."""

from enum import Enum, auto
from types import SimpleNamespace

import torch


class Stage(Enum):
    TRAIN = auto()
    VALID = auto()
    TEST = auto()


class Brain:
    def __init__(self, modules, opt_class, hparams, compile_backend=None):
        self.modules = torch.nn.ModuleDict(modules)
        self.hparams = SimpleNamespace(**hparams)
        self.optimizer = opt_class(self.modules.parameters())
        self.avg_train_loss = 0.0
        self.step = 0
        if compile_backend is not None:
            self.compute = torch.compile(self.compute, backend=compile_backend)

    def compute_forward(self, batch, stage):
        raise NotImplementedError

    def compute_objectives(self, predictions, batch, stage):
        raise NotImplementedError

    def compute(self, batch, stage):
        return self.compute_objectives(self.compute_forward(batch, stage), batch, stage)

    def on_stage_start(self, stage, epoch=None):
        pass

    def on_stage_end(self, stage, stage_loss, epoch=None):
        pass

    def update_average(self, loss, avg_loss):
        return avg_loss - avg_loss / self.step + loss.item() / self.step

    def fit_batch(self, batch):
        loss = self.compute(batch, Stage.TRAIN)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.modules.parameters(), self.hparams.max_grad_norm)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    @torch.no_grad()
    def evaluate_batch(self, batch, stage):
        return self.compute(batch, stage).detach()

    def _evaluate(self, loader, stage, epoch=None):
        self.on_stage_start(stage, epoch)
        self.modules.eval()
        losses = [self.evaluate_batch(batch, stage) for batch in loader]
        self.on_stage_end(stage, torch.stack(losses).mean().item(), epoch)

    def fit(self, epochs, train_set, valid_set):
        for epoch in epochs:
            self.on_stage_start(Stage.TRAIN, epoch)
            self.modules.train()
            self.step = 0
            for batch in train_set:
                self.step += 1
                self.avg_train_loss = self.update_average(
                    self.fit_batch(batch), self.avg_train_loss
                )
            self.on_stage_end(Stage.TRAIN, self.avg_train_loss, epoch)
            self.avg_train_loss = 0.0
            self._evaluate(valid_set, Stage.VALID, epoch)

    def evaluate(self, test_set):
        self._evaluate(test_set, Stage.TEST)
