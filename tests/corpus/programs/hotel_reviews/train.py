"""Fits one encoder to three ways of pooling, so that any can be served."""

import json
from itertools import cycle

import torch
from encoder import Encoder
from reviews import Reviews
from torch.utils.data import DataLoader

SETTINGS = """
{"epochs": 3, "batch": 8, "lr": 0.01, "poolings": ["mean", "max", "both"]}
"""


def main():
    torch.manual_seed(0)
    settings = json.loads(SETTINGS)
    encoder = Encoder()
    loss_of = torch.compile(encoder, backend="eager")
    optimizer = torch.optim.Adam(encoder.parameters(), lr=settings["lr"])
    loader = DataLoader(Reviews(32), batch_size=settings["batch"], shuffle=True)
    poolings = cycle(settings["poolings"])
    for epoch in range(settings["epochs"]):
        unknown = 0.0
        for words, praised in loader:
            loss = loss_of(words, praised, next(poolings))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            unknown += float(encoder.unknown)
        print(f"epoch {epoch}: {unknown / len(loader):.1%} unknown")


if __name__ == "__main__":
    main()
