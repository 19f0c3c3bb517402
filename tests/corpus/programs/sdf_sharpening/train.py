"""Fits a distance field to a sphere."""

import torch
from callbacks import DecayRate, Report, Sharpen
from field import DistanceField, sphere
from torch._dynamo import compiled_autograd


class Trainer:
    def __init__(self, model, callbacks, lr=5e-3, points=64, steps=4):
        self.model = model
        self.callbacks = callbacks
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.points = points
        self.steps = steps
        self.last = float("nan")

    def call(self, name, epoch):
        for callback in self.callbacks:
            getattr(callback, name)(self, epoch)

    def train_step(self):
        points, distances = sphere(self.points)
        loss = (self.model(points) - distances).abs().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            self.call("on_epoch_start", epoch)
            for _ in range(self.steps):
                self.last = self.train_step()
            self.call("on_epoch_end", epoch)


def main():
    torch.manual_seed(0)
    trainer = Trainer(DistanceField(), [Sharpen(), DecayRate(), Report()])
    with compiled_autograd._enable(torch.compile(backend="eager")):
        trainer.fit(epochs=5)


if __name__ == "__main__":
    main()
