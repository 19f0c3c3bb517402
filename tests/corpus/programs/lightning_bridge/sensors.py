"""Strain gauges on a bridge: finds the one that has drifted."""

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class StrainNet(lightning.LightningModule):
    def __init__(self, gauges=5, width=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(gauges, width, 3),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, width, 3, stride=2),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(1),
            nn.Flatten(),
            nn.Linear(width, gauges),
        )

    def training_step(self, batch, batch_idx):
        strains, drifted = batch
        return nn.functional.cross_entropy(self.net(strains), drifted)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


def recordings(count=48, gauges=5, samples=24, batch=8):
    drifted = torch.randint(gauges, (count,))
    strains = torch.randn(count, gauges, samples)
    strains[torch.arange(count), drifted] += torch.linspace(0, 2, samples)
    return DataLoader(TensorDataset(strains, drifted), batch_size=batch)
