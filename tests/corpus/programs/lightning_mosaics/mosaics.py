"""Floors of Roman villas: tesserae in rings and waves."""

import lightning
import torch
from torch.utils.data import DataLoader, Dataset


class Mosaics(Dataset):
    def __init__(self, n, size=8, seed=0):
        g = torch.Generator().manual_seed(seed)
        axis = torch.linspace(-1, 1, size)
        ring = (axis[:, None] ** 2 + axis[None] ** 2).sqrt()
        count = 2 + 6 * torch.rand(n, 1, 1, generator=g)
        shift = 6.28 * torch.rand(n, 1, 1, generator=g)
        self.images = torch.sin(ring * count + shift).unsqueeze(1).expand(-1, 3, -1, -1).clone()
        self.images += 0.1 * torch.randn(n, 3, size, size, generator=g)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        return image.flip(-1) if torch.rand(()) < 0.5 else image


class MosaicData(lightning.LightningDataModule):
    def __init__(self, batch_size=8):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage):
        self.train_set, self.val_set = Mosaics(44), Mosaics(20, seed=1)

    def train_dataloader(self):
        return DataLoader(self.train_set, self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, self.batch_size)
