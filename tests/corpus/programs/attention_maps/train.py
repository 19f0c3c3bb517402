"""Regresses stability; maps are kept every few steps for a figure."""

import torch
from configuration import ProteinConfig
from modeling import ProteinModel
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

WANTED = ("none", "last", "none", "all", "none")


class Trainer:
    def __init__(self, config, loader):
        self.config, self.loader = config, loader
        self.model = ProteinModel(config)
        self.compiled = torch.compile(self.model, backend="eager")
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.figures = []

    def step(self, residues, stability):
        guess, maps = self.compiled(residues)
        if maps:
            self.figures.append(torch.stack(maps).mean(1).detach())
        loss = (guess - stability).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def fit(self, epochs):
        number = 0
        for _ in range(epochs):
            for residues, stability in self.loader:
                self.config.maps = WANTED[number % len(WANTED)]
                self.step(residues, stability)
                number += 1


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randint(0, 21, (21, 12)), torch.randn(21))
    sampler = BatchSampler(RandomSampler(data), batch_size=6, drop_last=False)
    Trainer(ProteinConfig(), DataLoader(data, batch_sampler=sampler)).fit(3)


if __name__ == "__main__":
    main()
