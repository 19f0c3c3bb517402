"""Metric learning for product search."""

import argparse
import itertools

import torch
from embedder import Embedder
from mining import MINERS
from torch._dynamo import compiled_autograd


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--miner", choices=sorted(MINERS), default="semi_hard")
    parser.add_argument("--slack", type=float, default=0.2)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rows", type=int, default=12)
    return parser.parse_args(arguments)


def pairs(rows, features=12):
    while True:
        queries = torch.randn(rows, features)
        yield queries, queries + 0.7 * torch.randn(rows, features)


def main():
    options = parse()
    torch.manual_seed(0)
    model = Embedder()
    mine = MINERS[options.miner]
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    compiler = torch.compile(backend="eager", dynamic=False)
    with compiled_autograd._enable(compiler, dynamic=False):
        for queries, products in itertools.islice(pairs(options.rows), options.steps):
            scores = model(queries) @ model(products).t()
            loss = mine(scores, slack=options.slack)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
