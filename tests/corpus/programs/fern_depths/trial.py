"""Trains one architecture for a while."""

import torch
from torch.nn import functional


class Trial:
    def __init__(self, architecture):
        torch.compiler.reset()
        self.architecture = architecture
        self.network = architecture.built()
        self.model = torch.compile(self.network, backend="eager")
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=0.01)

    def run(self, leaves, kinds, steps=8):
        for _ in range(steps):
            loss = functional.cross_entropy(self.model(leaves), kinds)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()
