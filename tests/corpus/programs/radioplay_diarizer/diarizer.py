from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SpecMask(nn.Module):
    """One band of each scene is hidden during training."""

    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.width = width

    def forward(self, feats: Tensor) -> Tensor:
        if not self.training:
            return feats
        start = torch.randint(0, feats.shape[-1] - self.width, (feats.shape[0], 1))
        band = torch.arange(feats.shape[-1])[None]
        hidden = (band >= start) & (band < start + self.width)
        return feats.masked_fill(hidden[:, None], 0.0)


class Diarizer(nn.Module):
    def __init__(self, n_mels: int, hidden: int = 24, speakers: int = 2) -> None:
        super().__init__()
        self.augment = SpecMask()
        self.inp = nn.Sequential(nn.Linear(n_mels, hidden), nn.LayerNorm(hidden), nn.ReLU())
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, speakers)

    def encode(self, feats: Tensor) -> Tensor:
        return self.rnn(self.inp(self.augment(feats)))[0]

    def forward(self, feats: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.encode(feats)
        return self.out(hidden), hidden


def pit_loss(logits: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
    """Binary cross entropy under the better of both assignments of the speakers."""
    per_order = []
    for order in (labels, labels.flip(-1)):
        bce = F.binary_cross_entropy_with_logits(logits, order, reduction="none").mean(-1)
        per_order.append((bce * mask).sum(1) / mask.sum(1))
    return torch.stack(per_order).amin(0).mean()


def frame_errors(logits: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
    wrong = [
        (((logits > 0).float() - order).abs().sum(-1) * mask).sum(1)
        for order in (labels, labels.flip(-1))
    ]
    return torch.stack(wrong).amin(0).sum() / mask.sum()
