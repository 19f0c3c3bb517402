"""What is remembered of earlier quarters."""

import torch
from stream import CARDINALITIES, NUMERIC
from torch import Tensor


class Reservoir:
    """A sample of all rows that were seen, each with equal probability (Vitter's algorithm R)."""

    def __init__(self, capacity: int) -> None:
        self.categories = torch.zeros(capacity, len(CARDINALITIES), dtype=torch.long)
        self.numeric = torch.zeros(capacity, NUMERIC)
        self.labels = torch.zeros(capacity, dtype=torch.long)
        self.filled = torch.zeros(capacity)
        self.capacity, self.seen = capacity, 0

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, categories: Tensor, numeric: Tensor, labels: Tensor) -> None:
        for row in zip(categories, numeric, labels, strict=True):
            slot = self.seen
            if slot >= self.capacity:
                slot = int(torch.randint(0, self.seen + 1, ()))
            if slot < self.capacity:
                self.categories[slot], self.numeric[slot], self.labels[slot] = row
                self.filled[slot] = 1.0
            self.seen += 1

    def draw(self, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows and whether each is one: empty places are drawn too, with weight zero."""
        chosen = torch.randint(0, max(len(self), 1), (count,))
        return (
            self.categories[chosen],
            self.numeric[chosen],
            self.labels[chosen],
            self.filled[chosen],
        )
