"""What is on the shelves of a pantry, and how much of it next week."""

import random

import torch
from torch.utils.data import Sampler, TensorDataset

GOODS, SHELVES = 15, 4


def records(count):
    goods, shelf = torch.randint(GOODS, (count,)), torch.randint(SHELVES, (count,))
    stock = torch.rand(count)
    return TensorDataset(goods, shelf, stock, stock * (goods % 5) / 5)


class ByShelf(Sampler):
    """Batches hold records of one shelf each, as many as fit."""

    def __init__(self, records, size, seed=0):
        self.size, self.draw = size, random.Random(seed)
        self.places = [
            [n for n, shelf in enumerate(records.tensors[1].tolist()) if shelf == wanted]
            for wanted in range(SHELVES)
        ]

    def __iter__(self):
        for places in self.places:
            self.draw.shuffle(places)
            for start in range(0, len(places), self.size):
                yield places[start : start + self.size]
