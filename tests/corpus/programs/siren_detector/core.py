"""A small Brain, as toolkits for speech have it."""

from enum import Enum, auto

import torch


class Stage(Enum):
    TRAIN = auto()
    VALID = auto()
    TEST = auto()


class Brain:
    def __init__(self, modules, opt_class, hparams, run_opts):
        self.modules = torch.nn.ModuleDict(modules)
        self.hparams = hparams
        self.optimizer = opt_class(self.modules.parameters())
        self.step = 0
        self._forward = torch.compile(self.compute_forward, backend=run_opts["backend"])

    def compute_forward(self, wavs, stage):
        raise NotImplementedError

    def compute_objectives(self, predictions, targets, stage):
        raise NotImplementedError

    def on_stage_start(self, stage, epoch=None):
        pass

    def on_stage_end(self, stage, stage_loss, epoch=None):
        pass

    def fit_batch(self, batch):
        wavs, targets = batch
        loss = self.compute_objectives(self._forward(wavs, Stage.TRAIN), targets, Stage.TRAIN)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.modules.parameters(), 5.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return loss.detach()

    @torch.no_grad()
    def evaluate_batch(self, batch, stage):
        wavs, targets = batch
        return self.compute_objectives(self._forward(wavs, stage), targets, stage)

    def _run(self, batches, stage, epoch=None):
        self.on_stage_start(stage, epoch)
        self.modules.train(stage == Stage.TRAIN)
        if stage == Stage.TRAIN:
            losses = [self.fit_batch(batch) for batch in batches]
        else:
            losses = [self.evaluate_batch(batch, stage) for batch in batches]
        self.on_stage_end(stage, torch.stack(losses).mean().item(), epoch)

    def fit(self, epochs, train_set, valid_set):
        for epoch in epochs:
            self._run(train_set, Stage.TRAIN, epoch)
            self._run(valid_set, Stage.VALID, epoch)

    def evaluate(self, test_set):
        self._run(test_set, Stage.TEST)
