"""Attention whose inner function is made at the first use."""
import functools

import torch
import torch.nn.functional as F
from torch import nn


def local_attention(q, k, v, scale):
    return F.scaled_dot_product_attention(q, k, v, scale=scale)


class InnerAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self._mapped = None

    def forward(self, q, k, v):
        if self._mapped is None:
            self._mapped = functools.partial(local_attention, scale=self.width ** -0.5)
        return self._mapped(q, k, v)


class Block(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.inner = InnerAttention(width)

    def forward(self, x):
        return x + self.inner(*self.qkv(x).chunk(3, -1))


def main():
    torch.manual_seed(29)
    blocks = nn.Sequential(*(Block() for _ in range(3)))
    for block in blocks:
        block.compile(backend="eager")
    optimizer = torch.optim.SGD(blocks.parameters(), lr=0.05)
    for _ in range(5):
        x = torch.randn(2, 10, 16, requires_grad=True)
        loss = (blocks(x) - x.roll(1, 1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
