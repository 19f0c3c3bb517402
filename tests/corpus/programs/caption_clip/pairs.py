"""Pairs of images and captions; captions are padded to one length."""

import torch
from torch.utils.data import DataLoader, Dataset

LONGEST = 12


class Pairs(Dataset):
    def __init__(self, count=70, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.images = torch.rand(count, 3, 16, 16, generator=g)
        self.lengths = torch.randint(3, LONGEST + 1, (count,), generator=g).tolist()
        self.tokens = [torch.randint(1, 200, (n,), generator=g) for n in self.lengths]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.tokens[index]


def collate(rows):
    images = torch.stack([image for image, _ in rows])
    tokens = torch.zeros(len(rows), LONGEST, dtype=torch.long)
    for row, (_, words) in zip(tokens, rows, strict=True):
        row[: len(words)] = words
    return images, tokens


def get_loader(batch_size):
    return DataLoader(Pairs(), batch_size, shuffle=True, collate_fn=collate, drop_last=True)
