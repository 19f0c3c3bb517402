"""CIFAR-like pictures with random crops and flips."""

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Cifar(Dataset):
    def __init__(self, train, count):
        g = torch.Generator().manual_seed(int(train))
        self.images = torch.rand(count, 3, 32, 32, generator=g)
        self.targets = torch.randint(0, 10, (count,), generator=g)
        self.train = train

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, target = self.images[index], self.targets[index]
        if self.train:
            padded = F.pad(image, (4, 4, 4, 4))
            top, left = torch.randint(0, 9, (2,)).tolist()
            image = padded[:, top : top + 32, left : left + 32]
            if torch.rand(()) < 0.5:
                image = image.flip(-1)
        return image, target


def loaders(batch_size, test_batch_size):
    train = DataLoader(Cifar(True, 90), batch_size=batch_size, shuffle=True)
    test = DataLoader(Cifar(False, 64), batch_size=test_batch_size, shuffle=False)
    return train, test
