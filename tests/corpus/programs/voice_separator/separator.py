"""Separates two voices with masks on a learned basis."""

import logging
import time

import torch
import torch.nn as nn

logger = logging.getLogger(__name__)


class Separator(nn.Module):
    def __init__(self, filters=16, kernel=8, voices=2):
        super().__init__()
        self.voices = voices
        self.encode = nn.Conv1d(1, filters, kernel, kernel // 2)
        self.masks = nn.Sequential(
            nn.Conv1d(filters, filters, 3, padding=1),
            nn.PReLU(),
            nn.Conv1d(filters, filters * voices, 1),
        )
        self.decode = nn.ConvTranspose1d(filters, 1, kernel, kernel // 2)
        self.encode_seconds = 0.0

    def forward(self, mixture):
        started = time.perf_counter()
        basis = self.encode(mixture.unsqueeze(1)).relu()
        self.encode_seconds = time.perf_counter() - started
        masks = self.masks(basis).unflatten(1, (self.voices, -1)).softmax(1)
        logger.info("%d frames of %d filters", basis.shape[-1], basis.shape[1])
        voices = [self.decode(basis * mask).squeeze(1) for mask in masks.unbind(1)]
        return torch.stack(voices, dim=1)
