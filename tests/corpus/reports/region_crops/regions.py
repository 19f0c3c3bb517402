import torch
from torch import nn
from torch.nn import functional as F


def crop(features, box):
    x0, y0 = int(box[0]), int(box[1])
    x1, y1 = int(box[2]), int(box[3])
    return features[:, y0:y1, x0:x1]


class RegionHead(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.inner = nn.Linear(channels * 4, 16)
        self.outer = nn.Linear(16, classes)

    def pool(self, region):
        return F.adaptive_avg_pool2d(region[None], 2).flatten()

    def forward(self, features, box):
        region = crop(features, box)
        pooled = self.pool(region)
        return self.outer(torch.relu(self.inner(pooled)))
