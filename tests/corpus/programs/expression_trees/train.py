"""Learns the values of expressions."""

from functools import lru_cache

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from tree_lstm import TreeCell
from trees import curriculum, depth_of

PLACES = {"x": 0.5, "y": -0.3, "z": 0.8, "1": 1.0, "2": 2.0}


@lru_cache
def value(tree):
    if isinstance(tree, str):
        return PLACES[tree]
    name, left, right = tree
    a, b = value(left), value(right)
    return {"+": a + b, "-": a - b, "*": a * b}[name]


def main(steps=9, width=6):
    torch.manual_seed(0)
    cell, read = TreeCell(width), nn.Linear(width, 1)
    optimizer = torch.optim.Adam([*cell.parameters(), *read.parameters()], lr=0.02)
    by_depth = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for tree in curriculum(steps):
            error = read(cell.fold(tree)).squeeze() - value(tree)
            loss = torch.tanh(0.3 * error).square()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            by_depth.setdefault(depth_of(tree), []).append(loss.item())


if __name__ == "__main__":
    main()
