"""Learns the surveys one after another, without forgetting the first ones."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from ewc import EWC
from tasks import Survey, surveys
from torch import nn


@dataclass(frozen=True)
class Config:
    tasks: int = 4
    epochs: int = 2
    batch_size: int = 12
    width: int = 24
    lr: float = 0.02
    strength: float = 40.0
    first_strength: float = 0.25


class Learner:
    def __init__(self, config: Config) -> None:
        self.config = config
        self.model = nn.Sequential(
            nn.Linear(8, config.width), nn.GELU(), nn.Dropout(0.1), nn.Linear(config.width, 4)
        )
        self.criterion = nn.CrossEntropyLoss()
        self.ewc = EWC(self.model, config.strength)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=config.lr, momentum=0.9)

    def learn(self, survey: Survey) -> float:
        self.model.train()
        loss = torch.zeros(())
        for epoch in range(self.config.epochs):
            ramp = min(1.0, self.config.first_strength * (epoch + 1))
            for soil, cover in survey.batches(self.config.batch_size):
                self.optimizer.zero_grad(set_to_none=True)
                loss = self.criterion(self.model(soil), cover)
                loss = loss + ramp * self.ewc.penalty()
                loss.backward()
                self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def accuracy(self, survey: Survey) -> float:
        self.model.eval()
        return (self.model(survey.soil).argmax(1) == survey.cover).float().mean().item()


def main(config: Config) -> None:
    torch.manual_seed(8)
    seen: list[Survey] = []
    learner = Learner(config)
    for survey in surveys(config.tasks):
        loss = learner.learn(survey)
        seen.append(survey)
        learner.ewc.consolidate(list(survey.batches(config.batch_size)), learner.criterion)
        kept = " ".join(f"{learner.accuracy(old):.2f}" for old in seen)
        print(f"{survey.year}: loss {loss:.3f}, accuracies {kept}")


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        main(Config())
