"""One-stage detector with a focal loss whose exponent is a setting."""

from functools import partial

import torch
from anchors import anchors
from torch import nn
from torch.nn import functional


def focal(logits, targets, *, gamma, reduction):
    plain = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    hard = (logits.sigmoid() - targets).abs() ** gamma
    return (hard * plain).sum() if reduction == "sum" else (hard * plain).mean()


class Detector(nn.Module):
    def __init__(self, grid, *, gamma=2.0, reduction="mean"):
        super().__init__()
        self.grid = grid
        self.register_buffer("anchors", anchors(grid))
        self.body = nn.Sequential(nn.Conv2d(1, 8, 4, stride=4), nn.BatchNorm2d(8), nn.ReLU())
        self.score, self.shift = nn.Conv2d(8, 2, 1), nn.Conv2d(8, 8, 1)
        self.focal = partial(focal, gamma=gamma, reduction=reduction)

    def forward(self, images, boxes):
        features = self.body(images)
        scores = self.score(features).permute(0, 2, 3, 1).flatten(1)
        shifts = self.shift(features).permute(0, 2, 3, 1).reshape(len(images), -1, 4)
        apart = (self.anchors[None] - boxes[:, None]).abs().sum(-1)
        near = torch.nn.functional.one_hot(apart.argmin(1), apart.shape[1]).to(scores.dtype)
        placed = (self.anchors + shifts - boxes[:, None]).abs().sum(-1)
        return self.focal(scores, near) + (near * placed).sum() / len(images)
