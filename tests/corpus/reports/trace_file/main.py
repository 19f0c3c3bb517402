"""A residual regressor whose blocks write a trace of what they see."""
import os

import torch
from torch import nn
import torch.nn.functional as F

import notes


class Block(nn.Module):
    def __init__(self, dim, name):
        super().__init__()
        self.name = name
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, x):
        y = self.body(x)
        notes.note(self.name, y)
        return x + 0.5 * y


class Regressor(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim, f"block{i}") for i in range(2))
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.out(x).squeeze(-1)


def main():
    torch.manual_seed(13)
    if os.path.exists(notes.PATH):
        os.remove(notes.PATH)
    generator = torch.Generator().manual_seed(13)
    model = Regressor()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(6):
        x = torch.randn(32, 16, generator=generator)
        loss = F.mse_loss(compiled(x), x[:, 0] * x[:, 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
