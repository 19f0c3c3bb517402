"""Trains the reader, one receipt at a time."""

import torch
from data import padded, receipts
from model import Reader
from torch.nn import functional


def main():
    torch.manual_seed(0)
    reader = Reader()
    compiled = torch.compile(reader, backend="eager")
    optimizer = torch.optim.NAdam(reader.parameters(), lr=1e-2)
    for lines, field in receipts(8):
        loss = functional.cross_entropy(compiled(padded(lines, least=2)), field)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
