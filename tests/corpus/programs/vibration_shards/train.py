"""Learns which bearing is about to fail."""

import torch
from features import Bands
from shards import batches
from torch import nn
from torch.nn import functional

ORDER = ["north", "north", "south", "north", "south", "south"]


def main():
    torch.manual_seed(10)
    model = torch.compile(nn.Sequential(Bands(32, 8), nn.Linear(8, 3)), backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for signal, state in batches(ORDER, size=16):
        loss = functional.cross_entropy(model(signal), state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
