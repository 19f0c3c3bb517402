"""Writes a text with a drafting and a verifying model."""

import torch
from models import ContextModel
from speculate import Speculator

SPECULATION = {"now": 4, "shortest": 1, "longest": 6}


def main(length=24):
    torch.manual_seed(0)
    speculator = Speculator(ContextModel(), ContextModel(layers=3), SPECULATION)
    tokens = torch.tensor([3, 1, 4])
    while len(tokens) < length:
        tokens = speculator.step(tokens)
    return tokens


if __name__ == "__main__":
    main()
