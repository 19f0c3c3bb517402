import torch
from features import CATEGORIES, NUMERIC
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.lin1, self.lin2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.lin2(torch.relu(self.lin1(self.norm(x))))


class TabularResNet(nn.Module):
    def __init__(self, width=16, blocks=2, emb=3):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(size, emb) for size in CATEGORIES.values())
        self.enter = nn.Linear(len(NUMERIC) + emb * len(CATEGORIES), width)
        self.blocks = nn.ModuleList(ResidualBlock(width) for _ in range(blocks))
        self.leave = nn.Linear(width, 1)

    def forward(self, numbers, codes):
        parts = [table(code) for table, code in zip(self.tables, codes.unbind(1), strict=True)]
        x = self.enter(torch.cat([numbers, *parts], dim=1))
        for block in self.blocks:
            x = block(x)
        return self.leave(x).squeeze(-1)
