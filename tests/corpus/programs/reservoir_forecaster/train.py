"""Forecasts a reservoir's level, first a few days ahead, then more."""

import logging
import random

import numpy as np
import torch
from config import Config
from seq2seq import Seq2Seq
from series import Windows, simulate
from torch import Tensor
from torch.utils.data import DataLoader

log = logging.getLogger("reservoir")


class Trainer:
    def __init__(self, cfg: Config):
        self.cfg = cfg
        self.model = Seq2Seq(cfg)
        self.forecast = torch.compile(self.model, backend="eager")
        self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=cfg.lr)
        self.rng = random.Random(cfg.seed)
        self.history: list[float] = []

    def horizon_at(self, epoch: int) -> int:
        """Grows from epoch to epoch, to the whole horizon in the last ones."""
        grown = self.cfg.start_horizon + 2 * epoch
        return min(grown, self.cfg.max_horizon)

    def loss(self, past: Tensor, future: Tensor, epoch: int, forced: bool) -> Tensor:
        horizon = self.horizon_at(epoch)
        predicted = self.forecast(past, future, horizon, forced)
        error = predicted - future[:, :horizon]
        return torch.nn.functional.smooth_l1_loss(error, torch.zeros_like(error))

    def train_epoch(self, loader: DataLoader, epoch: int) -> float:
        ratio = self.cfg.teacher_ratio * (1 - epoch / self.cfg.epochs)
        running = torch.zeros(())
        for past, future in loader:
            forced = self.rng.random() < ratio
            loss = self.loss(past, future, epoch, forced)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            running += loss.detach()
        return running.item() / len(loader)

    @torch.no_grad()
    def validate(self, loader: DataLoader) -> float:
        """Skill over persistence at the end of the horizon."""
        errors = []
        for past, future in loader:
            predicted = self.model(past, future, self.cfg.max_horizon, False)
            errors.append((predicted[:, -1] - future[:, -1]).abs())
        return torch.cat(errors).mean().item()

    def fit(self, train: DataLoader, valid: DataLoader) -> None:
        for epoch in range(self.cfg.epochs):
            loss = self.train_epoch(train, epoch)
            self.history.append(self.validate(valid))
            log.warning("epoch %d loss %.4f error %.4f", epoch, loss, self.history[-1])


def main() -> None:
    logging.basicConfig(format="%(message)s")
    cfg = Config()
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    train_set = Windows(simulate(320, cfg.seed), cfg.window, cfg.max_horizon)
    valid_set = Windows(simulate(110, cfg.seed + 1), cfg.window, cfg.max_horizon)
    train = DataLoader(train_set, cfg.batch_size, shuffle=True, drop_last=True)
    Trainer(cfg).fit(train, DataLoader(valid_set, cfg.batch_size))


if __name__ == "__main__":
    main()
