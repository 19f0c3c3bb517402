"""Trains a network that recognizes birds by their calls."""

import logging

import torch
from config import parse
from network import CallNet
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


def recordings(config, count):
    generator = torch.Generator().manual_seed(11)
    species = torch.randint(0, config.species, (count,), generator=generator)
    mels = torch.rand(count, config.mels, config.frames, generator=generator)
    mels[torch.arange(count), species] += 1.0
    return TensorDataset(mels, species)


class Trainer:
    def __init__(self, config):
        self.config = config
        self.net = CallNet(config)
        self.forward = torch.compile(self.net, backend="aot_eager")
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=config.lr)
        self.loader = DataLoader(recordings(config, 44), config.batch_size, shuffle=True)

    def fit(self):
        for epoch in range(self.config.epochs):
            heard = sum(self.step(mels, species) for mels, species in self.loader)
            logging.info("epoch %d: loss %.3f", epoch, heard / len(self.loader))

    def step(self, mels, species):
        loss = functional.cross_entropy(self.forward(mels), species)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(0)
    Trainer(parse()).fit()
