"""Running statistics of features that several threads may write."""

import threading

import torch
from torch import nn


class FeatureStore(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("seen", torch.zeros(()))
        self.lock = threading.Lock()

    def forward(self, features):
        with self.lock:
            self.seen += features.shape[0]
            self.mean += (features.mean(0) - self.mean) * features.shape[0] / self.seen
        return features - self.mean
