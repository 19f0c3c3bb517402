"""A residual network for tables, as in "Revisiting deep learning models for tabular data"."""

import torch
from torch import Tensor, nn


class ResBlock(nn.Module):
    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.enter, self.leave = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.leave(self.dropout(torch.relu(self.enter(self.norm(x)))))


class ClaimNet(nn.Module):
    def __init__(
        self,
        cardinalities: tuple[int, ...],
        numeric: int,
        classes: int,
        width: int = 24,
        depth: int = 2,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(size, 4) for size in cardinalities)
        self.enter = nn.Linear(4 * len(cardinalities) + numeric, width)
        self.blocks = nn.Sequential(*(ResBlock(width, dropout) for _ in range(depth)))
        self.head = nn.Linear(width, classes)
        # Classes that have not come yet cannot be predicted.
        self.register_buffer("known", torch.zeros(classes, dtype=torch.bool))

    def open_classes(self, classes: list[int]) -> None:
        self.known[classes] = True

    def forward(self, categories: Tensor, numeric: Tensor) -> Tensor:
        parts = [table(categories[:, i]) for i, table in enumerate(self.tables)]
        x = self.enter(torch.cat([*parts, numeric], dim=1))
        logits = self.head(self.blocks(x))
        return logits.masked_fill(~self.known, -1e4)
