"""Ratings in the way of MovieLens, made up."""

import numpy as np
import torch
from torch.utils.data import Dataset


class Ratings(Dataset):
    def __init__(self, n_users=60, n_items=40, n_ratings=300, seed=11):
        rng = np.random.default_rng(seed)
        self.users = rng.integers(0, n_users, n_ratings)
        self.items = rng.integers(0, n_items, n_ratings)
        self.stars = rng.integers(1, 6, n_ratings).astype(np.float32)

    def __len__(self):
        return len(self.users)

    def __getitem__(self, index):
        return int(self.users[index]), int(self.items[index]), torch.tensor(self.stars[index])
