"""Rows of a table, in batches."""

import torch
from lightning.pytorch import LightningDataModule
from torch.utils.data import DataLoader, TensorDataset


class Table(LightningDataModule):
    def __init__(self, rows, batch_size):
        super().__init__()
        self.rows, self.batch_size = rows, batch_size

    def setup(self, stage):
        self.data = TensorDataset(torch.randn(self.rows, 10))

    def train_dataloader(self):
        return DataLoader(self.data, self.batch_size, shuffle=True)
