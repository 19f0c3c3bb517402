"""Pictures of feathers; batches as a prefetcher hands them out."""

import torch
from torch.utils.data import DataLoader, Dataset


class Feathers(Dataset):
    def __init__(self, count, side=12, species=4):
        self.species = torch.randint(0, species, (count,))
        self.pictures = torch.randint(0, 256, (count, 3, side, side), dtype=torch.uint8)

    def __len__(self):
        return len(self.species)

    def __getitem__(self, index):
        return self.pictures[index], self.species[index]


class Prefetcher:
    """Normalizes the pictures of a loader."""

    def __init__(self, loader, mean=0.45, std=0.22):
        self.loader, self.mean, self.std = loader, mean, std

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for pictures, species in self.loader:
            yield pictures.float().div(255).sub(self.mean).div(self.std), species


def create_loader(dataset, batch_size, is_training=False):
    return Prefetcher(DataLoader(dataset, batch_size=batch_size, shuffle=is_training))
