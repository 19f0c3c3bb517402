"""Predicts how many umbrellas a kiosk lends in an hour."""

import torch
from callbacks import Report, Sharpen
from config import Config
from objective import Objective
from torch.utils.data import DataLoader, TensorDataset

FEATURES = 5


class Trainer:
    def __init__(self, config, hours, callbacks):
        self.config, self.callbacks = config, callbacks
        self.loader = DataLoader(hours, batch_size=config.batch, shuffle=True)
        self.objective = Objective(config, FEATURES)
        self.compiled = torch.compile(self.objective, backend="eager")
        self.optimizer = torch.optim.Adam(self.objective.parameters(), lr=config.rate)
        self.losses = []

    def fit(self):
        for epoch in range(self.config.epochs):
            for weather, rented in self.loader:
                self.optimizer.zero_grad()
                loss = self.compiled(weather, rented)
                loss.backward()
                self.optimizer.step()
                self.losses.append(loss.item())
            for callback in self.callbacks:
                callback.on_epoch_end(self, epoch)


def hours(count=58):
    weather = torch.rand(count, FEATURES)
    rented = 20 * weather[:, 0] * (weather[:, 1] > 0.3) + torch.randn(count)
    return TensorDataset(weather, rented)


if __name__ == "__main__":
    torch.manual_seed(4)
    config = Config.from_cli()
    Trainer(config, hours(), [Report(), Sharpen(config.shrink)]).fit()
