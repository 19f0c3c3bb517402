"""Learns to route tickets."""

import argparse

import torch
from inbox import DESKS, Inbox
from router import Router
from torch.nn.functional import cross_entropy


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=18)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--backend", default="eager")
    return parser.parse_args()


def main():
    arguments = parse()
    torch.manual_seed(1)
    router = Router(DESKS)
    compiled = torch.compile(router, backend=arguments.backend)
    optimizer = torch.optim.RMSprop(router.parameters(), lr=arguments.lr)
    totals = dict.fromkeys(DESKS, 0.0)
    for desk, fields, target in Inbox().stream(arguments.steps):
        loss = cross_entropy(compiled(fields, desk), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        totals[desk] += loss.item()
    print({desk: round(total, 3) for desk, total in totals.items()})


if __name__ == "__main__":
    main()
