import torch
from torch import nn


class Field(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, dim), nn.ReLU(), nn.Linear(dim, 3))

    def forward(self, rays):
        return torch.sigmoid(self.net(rays))
