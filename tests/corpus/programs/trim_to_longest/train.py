"""Trains the tagger on sentences of many lengths."""

import torch
from tagger import Tagger
from torch.nn import functional

PADDED = 30


def batches(count, size=8):
    for number in range(count):
        lengths = torch.randint(4, 12 + 3 * number, (size,))
        tokens = torch.randint(1, 40, (size, PADDED))
        tokens[torch.arange(PADDED) >= lengths[:, None]] = 0
        yield tokens, lengths, tokens[:, 0] % 4


def main():
    torch.manual_seed(0)
    model = Tagger()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for tokens, lengths, tags in batches(6):
        loss = functional.cross_entropy(compiled(tokens, lengths), tags)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
