"""Augmentations of bark photographs."""

import torch


class TrainPreset:
    def __init__(self, crop=24, hflip=0.5):
        self.crop, self.hflip = crop, hflip

    def __call__(self, image):
        room = image.size(-1) - self.crop
        top, left = torch.randint(0, room + 1, (2,)).tolist()
        image = image[:, top : top + self.crop, left : left + self.crop]
        return image.flip(-1) if torch.rand(()) < self.hflip else image


class EvalPreset:
    def __init__(self, crop=24):
        self.crop = crop

    def __call__(self, image):
        edge = (image.size(-1) - self.crop) // 2
        return image[:, edge : edge + self.crop, edge : edge + self.crop]


class Barks(torch.utils.data.Dataset):
    def __init__(self, count, transform, seed):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 5, (count,), generator=g)
        self.images = torch.rand(count, 3, 28, 28, generator=g)
        self.images += 0.1 * self.labels.view(-1, 1, 1, 1)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.transform(self.images[i]), self.labels[i]
