"""Detects seizures in recordings of the brain."""

import torch
from torch import nn


def augment(recordings, augmentation):
    channels, samples = recordings.shape[1:]
    drift = torch.linspace(-1, 1, samples) * augmentation.drift
    shown = torch.rand(len(recordings), channels, 1) >= augmentation.masked
    noise = augmentation.jitter * torch.randn_like(recordings)
    return (recordings + drift + noise) * shown


class SeizureNet(nn.Module):
    def __init__(self, channels=6, width=10):
        super().__init__()
        self.spatial = nn.Conv1d(channels, width, 1)
        self.temporal = nn.Conv1d(width, width, 7, padding=3, groups=width)
        self.head = nn.Linear(width, 1)

    def forward(self, recordings, augmentation=None):
        if augmentation is not None:
            recordings = augment(recordings, augmentation)
        waves = self.temporal(self.spatial(recordings))
        return self.head(waves.square().mean(-1).clamp_min(1e-6).log()).squeeze(-1)
