"""What the customers of a haberdashery bought, one after another."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Purchases(Dataset):
    """Histories of all lengths; 0 stands for nothing."""

    def __init__(self, customers, items, max_len, seed):
        rng = np.random.default_rng(seed)
        self.items, self.max_len = items, max_len
        self.histories = []
        for _ in range(customers):
            start, step = rng.integers(1, items), rng.integers(1, 4)
            length = rng.integers(4, 2 * max_len)
            self.histories.append(1 + (start + step * np.arange(length)) % (items - 1))

    def __len__(self):
        return len(self.histories)

    def __getitem__(self, index):
        return self.histories[index]

    def collate(self, histories):
        rows = np.zeros((len(histories), self.max_len + 1), dtype=np.int64)
        for row, history in zip(rows, histories, strict=True):
            recent = history[-len(row) :]
            row[-len(recent) :] = recent
        return torch.from_numpy(rows)

    def loader(self, batch_size, train):
        return DataLoader(self, batch_size, shuffle=train, drop_last=train, collate_fn=self.collate)
