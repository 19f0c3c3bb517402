"""Trains dialect adapters in turns; a monitor looks in every few steps."""

from functools import partial

import torch
from networks import Recogniser
from speakers import DIALECTS, utterances
from torch.nn import functional

BANDS, PHONES = 10, 8


class Monitor:
    """Accuracy on a kept batch."""

    def __init__(self, model, every):
        self.model, self.every = model, every
        self.frames, self.phones = torch.randn(20, BANDS), torch.randint(0, PHONES, (20,))
        self.history = []

    def __call__(self, step, dialect):
        if step % self.every:
            return
        self.model.eval()
        with torch.no_grad():
            guess = self.model(self.frames, dialect).argmax(-1)
        self.history.append((guess == self.phones).float().mean().item())


class Trainer:
    def __init__(self, model, monitor, lr=0.02):
        self.model, self.monitor = model, monitor
        self.optimizers = {
            name: torch.optim.Adam([*adapter.parameters(), *model.head.parameters()], lr=lr)
            for name, adapter in model.adapters.items()
        }

    def fit(self, data, rounds):
        step = 0
        for _ in range(rounds):
            self.model.train()
            for dialect, frames, phones in data():
                self.optimizers[dialect].zero_grad()
                loss = functional.cross_entropy(self.model(frames, dialect), phones)
                loss.backward()
                self.optimizers[dialect].step()
                self.monitor(step, dialect)
                step += 1


if __name__ == "__main__":
    torch.manual_seed(1)
    recogniser = Recogniser(BANDS, PHONES, DIALECTS)
    trainer = Trainer(recogniser, Monitor(recogniser, every=4))
    trainer.fit(partial(utterances, BANDS, PHONES), rounds=4)
