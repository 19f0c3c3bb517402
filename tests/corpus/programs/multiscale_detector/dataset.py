"""Images with one object each, resized to another scale for every batch."""

import random

import torch
from torch.nn import functional
from torch.utils.data import Dataset


class Objects(Dataset):
    def __init__(self, count=40, side=32):
        self.centers = torch.rand(count, 2) * 0.8 + 0.1
        places = (torch.arange(side) + 0.5) / side
        rows = (places - self.centers[:, :1]).abs() < 0.1
        columns = (places - self.centers[:, 1:]).abs() < 0.1
        self.images = (rows[:, :, None] & columns[:, None]).float()[:, None]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.centers[index]


class MultiScale:
    def __init__(self, scales, seed=0):
        self.scales = scales
        self.random = random.Random(seed)

    def __call__(self, samples):
        images, centers = (torch.stack(column) for column in zip(*samples, strict=True))
        side = self.random.choice(self.scales)
        images = functional.interpolate(images, size=(side, side), mode="bilinear")
        return images + 0.1 * torch.randn_like(images), centers
