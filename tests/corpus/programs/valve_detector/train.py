"""Finds leaking valves by their vibration; statistics settle early."""

import torch
from tools import evaluating, warmed
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Stage(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, 3, padding=1)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, signal):
        return self.norm(self.conv(signal)).relu()


class Detector(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.stages = nn.Sequential(Stage(1, width), Stage(width, width))
        self.head = nn.Linear(width, 2)

    def forward(self, signal):
        return self.head(self.stages(signal).mean(-1))


def vibrations(count, batch=8, length=24):
    generator = torch.Generator().manual_seed(6)
    for _ in range(count):
        leaks = torch.randint(2, (batch,), generator=generator)
        noise = torch.randn(batch, 1, length, generator=generator)
        yield noise * (1 + leaks[:, None, None]), leaks


def accuracy(model, held_out):
    with torch.no_grad(), evaluating(model):
        return sum((model(signal).argmax(1) == leaks).float().mean() for signal, leaks in held_out)


def main(steps=7):
    torch.manual_seed(0)
    model = Detector()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    held_out = list(vibrations(2))
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, (signal, leaks) in enumerate(vibrations(steps)):
            loss = functional.cross_entropy(warmed(model, step)(signal), leaks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 2:
                accuracy(model, held_out)


if __name__ == "__main__":
    main()
