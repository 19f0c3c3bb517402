"""Predicts the growth of corals."""

from itertools import chain, repeat

import torch
from network import Deep
from reef import Reef
from torch.nn import functional

SEGMENTS = 2


def main(turns=2, size=6):
    torch.manual_seed(0)
    reef = Reef()
    model = Deep(traits=5, segments=SEGMENTS)
    optimizer = torch.optim.Adadelta(model.parameters())
    dives = chain.from_iterable(reef.dives(size) for _ in repeat(None, turns))
    for traits, growth in dives:
        optimizer.zero_grad()
        functional.mse_loss(model(traits), growth).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
