"""Trains a locator, with a smoothness penalty every fourth step."""

import torch
from locator import Locator, smoothness
from sensors import windows


class Trainer:
    every = 4

    def __init__(self, model, lr=3e-3, penalty=0.1):
        self.model, self.penalty = model, penalty
        self.locate = torch.compile(model, backend="eager")
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.steps = 0

    def step(self, window):
        lazy = self.steps % self.every == 0
        readings = window.readings.requires_grad_(lazy)
        places = self.locate(readings)
        loss = (places - window.place).norm(dim=1).mean()
        if lazy:
            loss = loss + self.penalty * self.every * smoothness(places, readings)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.steps += 1


def main():
    torch.manual_seed(0)
    trainer = Trainer(Locator())
    for window in windows(16):
        trainer.step(window)


if __name__ == "__main__":
    main()
