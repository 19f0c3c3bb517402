"""Trains a sharded transformer; each block is compiled. Sentences have several lengths."""

import torch
from sharding import meet, shard
from torch import distributed, nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x):
        normed = self.norm(x)
        scores = self.q(normed) @ self.k(normed).transpose(1, 2)
        return x + scores.softmax(-1) @ self.v(normed)


class Tower(nn.Module):
    def __init__(self, width=8, depth=2):
        super().__init__()
        self.enter = nn.Linear(width, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))

    def forward(self, x):
        x = self.enter(x)
        for block in self.blocks:
            x = block(x)
        return x


def sentences():
    for length in (12, 18, 9, 15, 12):
        yield torch.randn(4, length, 8)


def main():
    mesh = meet()
    torch.manual_seed(0)
    model = Tower()
    for block in model.blocks:
        block.compile(backend="aot_eager")
    shard(model, mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for x in sentences():
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
