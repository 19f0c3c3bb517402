"""Skin images as vectors; lesions are rare."""

import torch
from lightning.pytorch import LightningDataModule
from torch.utils.data import DataLoader, TensorDataset


class Lesions(LightningDataModule):
    def __init__(self, count=60, width=20, batch_size=16):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage):
        generator = torch.Generator().manual_seed(0)
        images = torch.randn(self.hparams.count, self.hparams.width, generator=generator)
        ill = (images[:, 0] > 1).float()
        self.data = TensorDataset(images, ill)

    def train_dataloader(self):
        return DataLoader(self.data, self.hparams.batch_size, shuffle=True)
