"""Predicts synergies, and keeps account of what they are read from."""

import torch
from attribution import Attributions
from pairs import screen
from torch import nn
from torch.nn import functional


class Synergy(nn.Module):
    """The same encoder for both drugs; their order does not matter."""

    def __init__(self, bits=12, genes=6, width=10):
        super().__init__()
        self.drug = nn.Sequential(nn.Linear(bits, width), nn.ELU(), nn.Linear(width, width))
        self.cell = nn.Linear(genes, width)
        self.score = nn.Linear(width, 1)

    def forward(self, first, second, cell):
        both = self.drug(first) * self.drug(second)
        return self.score(both * torch.sigmoid(self.cell(cell)))


def main(steps=8):
    torch.manual_seed(0)
    model, attributions = Synergy(), Attributions(("first", "second"), every=3)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, amsgrad=True)
    for pair in map(attributions.prepare, screen(steps)):
        target = pair.pop("synergy")
        loss = functional.mse_loss(model(**pair), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        attributions.collect(pair)


if __name__ == "__main__":
    main()
