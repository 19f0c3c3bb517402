"""Trains the detector of seizures."""

import torch
from net import SeizureNet
from settings import Augmentation
from torch.nn import functional


def recordings(count, channels=6, samples=40):
    seizure = torch.rand(count) < 0.5
    amplitude = 1 + seizure.float()[:, None, None]
    return amplitude * torch.randn(count, channels, samples), seizure.float()


class Experiment:
    def __init__(self, epochs=5, batches=3, batch_size=8):
        self.epochs, self.batches, self.batch_size = epochs, batches, batch_size
        self.augmentation = Augmentation()
        self.net = SeizureNet()
        self.detect = torch.compile(self.net, backend="eager")
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=2e-3)

    def train_epoch(self):
        for _ in range(self.batches):
            waves, seizure = recordings(self.batch_size)
            logits = self.detect(waves, self.augmentation)
            loss = functional.binary_cross_entropy_with_logits(logits, seizure)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        waves, seizure = recordings(self.batch_size)
        return ((self.net(waves) > 0) == seizure.bool()).float().mean().item()

    def run(self):
        for epoch in range(self.epochs):
            self.augmentation.advance(epoch / self.epochs)
            self.train_epoch()
            print(f"epoch {epoch}: {self.evaluate():.2f}")


def main():
    torch.manual_seed(0)
    Experiment().run()


if __name__ == "__main__":
    main()
