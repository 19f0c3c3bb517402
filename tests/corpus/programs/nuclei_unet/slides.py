"""Tiles of stained slides with masks of their nuclei."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset):
    def __init__(self, count=32, size=16, seed=0):
        rng = np.random.default_rng(seed)
        self.images = rng.random((count, size, size, 3), dtype=np.float32)
        self.masks = (self.images.mean(-1) > 0.5).astype(np.float32)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.masks[index]


def collate(rows):
    images = np.stack([image for image, _ in rows])
    masks = np.stack([mask for _, mask in rows])
    return torch.from_numpy(images).permute(0, 3, 1, 2), torch.from_numpy(masks)[:, None]


def get_loader(count, seed, batch_size=8):
    return DataLoader(
        Tiles(count, seed=seed), batch_size, shuffle=True, drop_last=True, collate_fn=collate
    )
