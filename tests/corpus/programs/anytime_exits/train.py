"""Trains the anytime network on short signals."""

from dataclasses import dataclass

import torch
from network import AnytimeNet
from objective import ExitSampler, exit_losses
from torch._dynamo import compiled_autograd


@dataclass
class Config:
    batch: int = 12
    length: int = 16
    steps: int = 12
    lr: float = 0.02


class Trainer:
    def __init__(self, config):
        self.config = config
        self.net = AnytimeNet()
        self.sampler = ExitSampler(len(self.net.exits))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.lr)

    def step(self, signals, labels):
        losses = exit_losses(self.net(signals), labels)
        chosen = losses[: self.sampler()]
        self.optimizer.zero_grad()
        torch.autograd.backward(chosen)
        self.optimizer.step()

    def run(self):
        for _ in range(self.config.steps):
            signals = torch.randn(self.config.batch, 2, self.config.length)
            labels = (signals.mean((1, 2)) > 0).long() + 2 * (signals[:, 0, 0] > 0).long()
            self.step(signals, labels)


def main():
    torch.manual_seed(0)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        Trainer(Config()).run()


if __name__ == "__main__":
    main()
