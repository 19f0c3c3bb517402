"""Learns to write: spreads may get narrower from epoch to epoch."""

import argparse

import torch
from mixture import NextStroke, negative_log_likelihood
from strokes import pages


def arguments(given=()):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--size", type=int, default=6)
    parser.add_argument("--floor", type=float, default=-1.0, help="of the log spread, at first")
    return parser.parse_args(list(given))


def run(options):
    torch.manual_seed(0)
    model = NextStroke()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(options.epochs):
        floor = options.floor - 0.5 * epoch
        for page in pages(options.size):
            strokes, mask = page["strokes"], page["mask"]
            heads = model(strokes[:, :-1])
            loss = negative_log_likelihood(heads, strokes[:, 1:], mask[:, 1:], floor)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_value_(model.parameters(), 0.5)
            optimizer.step()


if __name__ == "__main__":
    run(arguments())
