"""Stages of a causal training: each is stricter than the one before."""

import torch
from physics import CausalResidual, Field
from torch._dynamo import compiled_autograd


class Solver:
    stages = (0.5, 1.0, 5.0, 20.0)

    def __init__(self, lr=3e-3):
        self.field = Field()
        self.residual = CausalResidual()
        self.measure = torch.compile(self.residual, backend="aot_eager")
        self.optimizer = torch.optim.Adam(self.field.parameters(), lr=lr)

    def descend(self, steps):
        for _ in range(steps):
            loss = self.measure(self.field())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def solve(self, steps=3):
        with compiled_autograd._enable(torch.compile(backend="eager")):
            for tolerance in self.stages:
                self.residual.tolerance = tolerance
                print(f"{tolerance}: {self.descend(steps):.4f}")
