import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.frame = nn.Linear(width, 8)
        self.clip = nn.Linear(8, 1)

    def forward(self, features):
        pooled = [torch.relu(self.frame(features[key])).mean(0) for key in sorted(features)]
        return self.clip(torch.stack(pooled)).squeeze(-1)
