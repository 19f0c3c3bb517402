"""Insurance claims that drift: every quarter has its own mix of products and its own habits."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

CARDINALITIES = (6, 4, 12)
NUMERIC = 5
CLASSES_PER_QUARTER = 2


@dataclass
class Quarter:
    index: int
    train: TensorDataset
    test: TensorDataset

    @property
    def classes(self) -> list[int]:
        first = CLASSES_PER_QUARTER * self.index
        return list(range(first, first + CLASSES_PER_QUARTER))


def _claims(quarter: int, count: int, generator: torch.Generator) -> TensorDataset:
    categories = torch.stack(
        [torch.randint(0, size, (count,), generator=generator) for size in CARDINALITIES], 1
    )
    numeric = torch.randn(count, NUMERIC, generator=generator) + 0.7 * quarter
    score = numeric[:, quarter % NUMERIC] - 0.7 * quarter + 0.4 * (categories[:, 0] - 2.5)
    label = CLASSES_PER_QUARTER * quarter + (score > 0).long()
    return TensorDataset(categories, numeric, label)


def quarters(count: int, seed: int = 0) -> Iterator[Quarter]:
    generator = torch.Generator().manual_seed(seed)
    for index in range(count):
        yield Quarter(index, _claims(index, 70, generator), _claims(index, 30, generator))


def loader(data: TensorDataset, batch_size: int, train: bool) -> DataLoader[tuple[Tensor, ...]]:
    return DataLoader(data, batch_size=batch_size, shuffle=train, drop_last=train)
