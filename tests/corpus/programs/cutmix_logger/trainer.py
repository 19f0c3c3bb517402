"""A trainer whose step is compiled."""

import logging

import torch
from mixing import mix, mix_targets, soft_cross_entropy

logger = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model, optimizer, mixup, log_interval=4):
        self.model, self.optimizer, self.mixup = model, optimizer, mixup
        self.log_interval = log_interval
        self.compute_loss = torch.compile(self._compute_loss, backend="aot_eager", dynamic=False)

    def _compute_loss(self, pictures, labels, lam, verbose):
        targets = mix_targets(labels, self.mixup.classes, lam)
        logits = self.model(mix(pictures, lam))
        loss = soft_cross_entropy(logits, targets)
        if verbose:
            logger.info("loss %.4f, lam %.2f", loss.detach().item(), lam)
        return loss

    def train_one_epoch(self, loader, epoch):
        for number, (pictures, labels) in enumerate(loader):
            verbose = number % self.log_interval == 0
            loss = self.compute_loss(*self.mixup(pictures, labels), verbose)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
