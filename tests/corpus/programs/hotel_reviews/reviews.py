"""Reviews of hotels: words that praise, words that complain, and words nobody knows."""

import random

import torch
from torch.utils.data import Dataset

UNKNOWN = 1
WORDS = 50


class Reviews(Dataset):
    def __init__(self, count, length=10, seed=0):
        draw = random.Random(seed)
        self.rows = [[draw.randrange(UNKNOWN, WORDS) for _ in range(length)] for _ in range(count)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        row = self.rows[number]
        praised = sum(word % 2 for word in row) > len(row) / 2
        return torch.tensor(row), torch.tensor(float(praised))
