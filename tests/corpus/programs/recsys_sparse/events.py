"""Clicks of users on items."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def loaders(users, items, clicks=58, batch=16):
    data = TensorDataset(
        torch.randint(0, users, (clicks,)),
        torch.randint(0, items, (clicks,)),
        torch.randint(0, 2, (clicks,)).float(),
    )
    return DataLoader(data, batch_size=batch, shuffle=True)
