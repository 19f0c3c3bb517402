"""Quantisation-aware training with fewer bits every other epoch."""

import torch
from callbacks import BitSchedule, Report
from model import HopNet


class Trainer:
    def __init__(self, model, callbacks):
        self.model, self.callbacks = model, callbacks
        self.compiled = torch.compile(model, backend="eager")
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        self.loss = float("nan")

    def step(self, fields, yields):
        loss = torch.nn.functional.huber_loss(self.compiled(fields), yields)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def fit(self, batches, epochs):
        for number in range(epochs):
            for callback in self.callbacks:
                callback.epoch(self, number)
            self.loss = sum(self.step(*batch) for batch in batches) / len(batches)


def season(rows=16, batches=4):
    for _ in range(batches):
        fields = torch.rand(rows, 7)
        yield fields, fields[:, 0] * fields[:, 1] - fields[:, 4]


def main():
    torch.manual_seed(31)
    trainer = Trainer(HopNet(), [BitSchedule({2: 6, 4: 4}), Report()])
    trainer.fit(list(season()), epochs=6)
    print(f"loss {trainer.loss:.3f}")


if __name__ == "__main__":
    main()
