"""Pictures of shelves; some shelves are empty."""

import torch
from torch.utils.data import Dataset

PRODUCTS = [4, 2, 0, 5, 3, 0, 6, 2]


class Shelves(Dataset):
    def __init__(self, side=16, classes=3):
        self.side, self.classes = side, classes
        self.generator = torch.Generator().manual_seed(7)

    def __len__(self):
        return len(PRODUCTS)

    def __getitem__(self, index):
        count = PRODUCTS[index]
        corner = torch.rand(count, 2, generator=self.generator) * (self.side - 6)
        boxes = torch.cat([corner, corner + 5], dim=1)
        labels = torch.randint(1, self.classes, (count,), generator=self.generator)
        picture = torch.zeros(3, self.side, self.side)
        for (x, y, _, _), label in zip(boxes.int().tolist(), labels.tolist(), strict=True):
            picture[label, y : y + 5, x : x + 5] = 1.0
        return picture, {"boxes": boxes, "labels": labels}


def collate_fn(samples):
    return tuple(zip(*samples, strict=True))
