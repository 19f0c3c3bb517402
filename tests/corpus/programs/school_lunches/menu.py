"""Menus of a school's kitchen and what pupils left on their plates."""

import torch
from torch.utils.data import IterableDataset


class Menus(IterableDataset):
    def __init__(self, weeks, dishes=12, pupils=8):
        self.weeks, self.dishes, self.pupils = weeks, dishes, pupils

    def __iter__(self):
        for week in range(self.weeks):
            dish = torch.randint(self.dishes, (self.pupils, 5))
            left = (dish % 3 == 0).float().mean(1, keepdim=True)
            yield week, dish, left
