"""Trains the tokenizer of small patches."""

import torch
from codes import SoftCodes
from torch import nn


class Tokenizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(9, 4)
        self.codes = SoftCodes(codes=8, width=4)
        self.decode = nn.Linear(4, 9)

    def forward(self, patches):
        return self.decode(self.codes(self.encode(patches)))


def main():
    torch.manual_seed(0)
    tokenizer = Tokenizer()
    fast = torch.compile(tokenizer, backend="aot_eager")
    optimizer = torch.optim.Adam(tokenizer.parameters(), lr=1e-2)
    for _ in range(7):
        patches = torch.randn(12, 5, 9)
        optimizer.zero_grad()
        (fast(patches) - patches).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
