"""Contracts, by column."""

import torch
from torch.utils.data import Dataset


class Contracts(Dataset):
    def __init__(self, count=72, numeric=5):
        self.cardinalities = {"region": 7, "vehicle": 5, "driver": 4}
        self.columns = {
            name: torch.randint(0, size, (count,)) for name, size in self.cardinalities.items()
        }
        self.columns["numeric"] = torch.randn(count, numeric)
        self.premium = self.columns["region"] * 0.3 + self.columns["numeric"][:, 0]

    def __len__(self):
        return len(self.premium)

    def __getitem__(self, row):
        return {name: column[row] for name, column in self.columns.items()}, self.premium[row]
