"""Depots that buy grain, and how much each delivery counts."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def evenly(kilometres):
    return torch.ones(len(kilometres))


def by_distance(kilometres):
    """Near fields are visited more often, and matter more."""
    return torch.from_numpy(1 / (1 + kilometres))


def by_rank(kilometres):
    return 1 / (2.0 + torch.from_numpy(kilometres.argsort().argsort()))


WEIGHTS = {"north": evenly, "south": by_distance, "river": by_rank}


class Deliveries(Dataset):
    def __init__(self, depot, count, seed):
        random = np.random.default_rng(seed)
        self.depot = depot
        self.kilometres = random.exponential(8.0, count)
        self.moisture = torch.from_numpy(random.normal(size=(count, 4))).float()
        self.price = self.moisture @ torch.tensor([1.0, -0.5, 0.0, 0.2]) + 2

    def __len__(self):
        return len(self.price)

    def __getitem__(self, index):
        return self.moisture[index], self.price[index], self.kilometres[index]

    def collate(self, rows):
        moisture, price, kilometres = zip(*rows, strict=True)
        weights = WEIGHTS[self.depot](np.array(kilometres))
        return torch.stack(moisture), torch.stack(price), weights

    def loader(self, batch=8):
        return DataLoader(self, batch, collate_fn=self.collate)


def depots(count=24):
    return [Deliveries(name, count, seed) for seed, name in enumerate(WEIGHTS)]
