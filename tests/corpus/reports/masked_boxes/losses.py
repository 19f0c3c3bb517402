import torch
from torch import nn


def area(boxes):
    size = boxes[:, 2:] - boxes[:, :2]
    return size[:, 0] * size[:, 1]


def overlap(a, b):
    low = torch.maximum(a[:, :2], b[:, :2])
    high = torch.minimum(a[:, 2:], b[:, 2:])
    shared = torch.zeros(a.shape[0])
    valid = (high > low).all(-1)
    inner = high[valid] - low[valid]
    shared[valid] = inner[:, 0] * inner[:, 1]
    return shared


class BoxLoss(nn.Module):
    def __init__(self, reduction):
        super().__init__()
        self.reduction = reduction

    def forward(self, guess, target):
        shared = overlap(guess, target)
        union = area(guess) + area(target) - shared
        low = torch.minimum(guess[:, :2], target[:, :2])
        high = torch.maximum(guess[:, 2:], target[:, 2:])
        hull = area(torch.cat([low, high], -1)) + 1e-7
        loss = 1 - shared / (union + 1e-7) + (hull - union) / hull
        if self.reduction == "mean":
            return loss.mean()
        return loss.sum()
