"""Predicts cracks; gradients are gathered over three firings."""

from dataclasses import dataclass

import torch
from kiln import Firings
from robust import Strict, anneal
from torch import nn
from torch._dynamo import compiled_autograd


@dataclass
class Plan:
    epochs: int = 3
    gather: int = 3
    lr: float = 0.01


class Loop:
    def __init__(self, model, plan):
        self.model, self.plan = model, plan
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=plan.lr)
        self.strict = Strict(anneal(1.0, 0.2, plan.epochs))

    def run(self, firings):
        for epoch in range(self.plan.epochs):
            self.strict.begin(epoch)
            total = torch.zeros(())
            for number, (tiles, cracks) in enumerate(firings, 1):
                loss = self.strict(self.model(tiles).flatten(), cracks) / self.plan.gather
                loss.backward()
                total += loss.detach()
                if number % self.plan.gather == 0:
                    self.optimizer.step()
                    self.optimizer.zero_grad()
            print(f"{epoch}: {total / len(firings):.3f}")


def main():
    torch.manual_seed(15)
    model = nn.Sequential(
        nn.Conv2d(2, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 1)
    )
    with compiled_autograd._enable(torch.compile(backend="eager")):
        Loop(model, Plan()).run(Firings(6))


if __name__ == "__main__":
    main()
