"""Additive margin softmax, and a pull towards slowly moving centres."""

import torch
import torch.nn.functional as F
from torch import nn


class AMSoftmax(nn.Module):
    def __init__(self, dim, n_classes, margin=0.2, scale=15.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_classes, dim))
        self.margin, self.scale = margin, scale

    def forward(self, emb, labels):
        cosine = emb @ F.normalize(self.weight, dim=1).t()
        target = F.one_hot(labels, cosine.size(1)).to(cosine.dtype)
        return F.cross_entropy(self.scale * (cosine - self.margin * target), labels)


class CentreLoss(nn.Module):
    """Centres are learnt; embeddings are drawn to where those were of late."""

    def __init__(self, dim, n_classes, momentum=0.9):
        super().__init__()
        self.centres = nn.Parameter(0.1 * torch.randn(n_classes, dim))
        self.momentum = momentum
        self.smoothed = None

    def forward(self, emb, labels):
        if self.smoothed is None:
            self.smoothed = torch.zeros_like(self.centres)
        self.smoothed = self.smoothed.lerp(self.centres, 1 - self.momentum)
        target = self.smoothed.index_select(0, labels)
        pull = (emb - target).square().sum(1).mean()
        spread = (emb.detach() - self.centres.index_select(0, labels)).square().sum(1).mean()
        return pull + spread
