"""Tells cyclones of the sea from anticyclones, tuned from the top down."""

import torch
from fields import stream
from torch import nn
from torch._dynamo import compiled_autograd
from tuning import PHASES, only


class Spin(nn.Module):
    def __init__(self, width=5):
        super().__init__()
        self.early = nn.Conv2d(1, width, 3)
        self.late = nn.Conv2d(width, width, 3)
        self.head = nn.Linear(width, 2)

    def forward(self, height):
        x = torch.tanh(self.early(height))
        x = torch.tanh(self.late(x))
        return self.head(x.amax((2, 3)))


def fit(model, optimizer, steps, seed):
    losses = []
    for height, spin in stream(steps, seed=seed):
        loss = nn.functional.cross_entropy(model(height), spin)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = Spin()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    curves = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for seed, (phase, (patterns, steps)) in enumerate(PHASES.items()):
            with only(model, *patterns):
                curves[phase] = fit(model, optimizer, steps, seed)


if __name__ == "__main__":
    main()
