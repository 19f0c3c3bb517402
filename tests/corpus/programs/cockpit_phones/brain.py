import enum
import logging

import torch
import torch.nn.functional as F

logger = logging.getLogger(__name__)


class Stage(enum.Enum):
    TRAIN = enum.auto()
    VALID = enum.auto()


class Brain:
    def __init__(self, modules, opt_class, hparams):
        self.modules = modules
        self.hparams = hparams
        self.optimizer = opt_class(modules.parameters())
        self.avg_train_loss = 0.0
        self.step = 0

    def compute_forward(self, batch, stage):
        feats = batch.feats
        if stage is Stage.TRAIN:
            feats = feats + self.hparams["noise_std"] * torch.randn_like(feats)
        return self.modules["tagger"](feats, batch.lens)

    def compute_objectives(self, predictions, batch, stage):
        loss = F.cross_entropy(
            predictions.flatten(0, 1), batch.alignment.flatten(), ignore_index=-1
        )
        if stage is Stage.VALID:
            known = batch.alignment >= 0
            wrong = (predictions.argmax(-1) != batch.alignment) & known
            self.errors.append((wrong.sum().item(), known.sum().item()))
        return loss

    def fit_batch(self, batch):
        loss = self.compute_objectives(self.compute_forward(batch, Stage.TRAIN), batch, Stage.TRAIN)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.modules.parameters(), self.hparams["max_grad_norm"])
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return loss.detach()

    @torch.no_grad()
    def evaluate_batch(self, batch):
        return self.compute_objectives(
            self.compute_forward(batch, Stage.VALID), batch, Stage.VALID
        ).item()

    def update_average(self, loss):
        self.avg_train_loss += (float(loss) - self.avg_train_loss) / self.step

    def fit(self, epochs, train_set, valid_set):
        for epoch in epochs:
            self.modules.train()
            self.step, self.avg_train_loss = 0, 0.0
            for batch in train_set:
                self.update_average(self.fit_batch(batch))
            self.modules.eval()
            self.errors = []
            valid = sum(self.evaluate_batch(batch) for batch in valid_set) / len(valid_set)
            wrong, known = map(sum, zip(*self.errors, strict=True))
            logger.info(
                "epoch %d train %.3f valid %.3f frame errors %.1f%%",
                epoch, self.avg_train_loss, valid, 100 * wrong / known,
            )  # fmt: skip
