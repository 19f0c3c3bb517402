"""Learns which strokes make a boat fast."""

import torch
from crews import training_camp
from limits import GradientLimit, Stage
from torch import nn
from torch._dynamo import compiled_autograd


class Boat(nn.Module):
    def __init__(self, phases=8, width=8):
        super().__init__()
        self.seat = nn.Linear(phases, width)
        self.crew = nn.Linear(width, 1)

    def forward(self, force):
        return self.crew(torch.relu(self.seat(force)).sum(1)).squeeze(-1)


def main(days=4):
    torch.manual_seed(0)
    boat = Boat()
    callbacks = [GradientLimit(0.5)]
    optimizer = torch.optim.ASGD(boat.parameters(), lr=0.01)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for day in training_camp(days):
            with Stage(boat, callbacks):
                for force, speed in day:
                    optimizer.zero_grad()
                    loss = (boat(force) - speed).square().mean()
                    loss.backward()
                    optimizer.step()


if __name__ == "__main__":
    main()
