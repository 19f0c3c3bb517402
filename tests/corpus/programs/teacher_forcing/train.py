"""Scheduled sampling: the truth is fed less and less often."""

import random

import torch
from seq2seq import Decoder
from torch.nn import functional


def main():
    random.seed(0)
    torch.manual_seed(0)
    decoder = Decoder()
    compiled = torch.compile(decoder, backend="eager")
    optimizer = torch.optim.Adam(decoder.parameters(), lr=1e-2)
    for step in range(12):
        targets = torch.randint(0, 12, (6, 5))
        forced = random.random() < 1 - step / 12
        loss = functional.cross_entropy(
            compiled(targets, torch.zeros(6, 10), forced).flatten(0, 1), targets.flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
