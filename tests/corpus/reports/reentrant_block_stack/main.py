"""Trains a compiled block stack with activation checkpointing around the blocks."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.body = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.body(self.norm(x))


class Stack(nn.Module):
    def __init__(self, dim=24, depth=3):
        super().__init__()
        self.inp = nn.Linear(8, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 2)
        for block in self.blocks:
            block.compile()

    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=True)
        return self.out(x)


def main():
    torch.manual_seed(44)
    generator = torch.Generator().manual_seed(44)
    model = Stack()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(6):
        x = torch.randn(32, 8, generator=generator)
        loss = F.cross_entropy(model(x), (x[:, 0] > x[:, 1]).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
