"""Pictures of lemons, in splits."""

import torch
from torch.utils.data import DataLoader, Dataset, random_split


class Lemons(Dataset):
    def __init__(self, count, side=10, grades=3, transform=None):
        self.grades = torch.randint(0, grades, (count,))
        self.pictures = torch.rand(count, 3, side, side) + self.grades.view(-1, 1, 1, 1) / 3
        self.transform = transform

    def __len__(self):
        return len(self.grades)

    def __getitem__(self, index):
        picture = self.pictures[index]
        if self.transform:
            picture = self.transform(picture)
        return picture, self.grades[index]


def flip(picture):
    return picture.flip(-1) if torch.rand(()) < 0.5 else picture


def make_loaders(count, batch_size):
    train, valid = random_split(Lemons(count, transform=flip), [0.75, 0.25])
    return {
        "train": DataLoader(train, batch_size=batch_size, shuffle=True, drop_last=True),
        "valid": DataLoader(valid, batch_size=batch_size, drop_last=True),
    }
