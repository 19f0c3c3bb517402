import math
import random

import torch
from torch import nn
import torch.nn.functional as F


def gaussian(size, sigma):
    grid = [i - size // 2 for i in range(size)]
    values = torch.tensor([math.exp(-g * g / (2.0 * sigma * sigma)) for g in grid])
    return values / values.sum()


class RandomBlur(nn.Module):
    def __init__(self, size=5, sigma=(0.3, 2.0), seed=0):
        super().__init__()
        self.size, self.sigma = size, sigma
        self.dice = random.Random(seed)
        self.strength = None

    def sample(self):
        self.strength = self.dice.uniform(*self.sigma)

    def forward(self, x):
        k = gaussian(self.size, self.strength)
        c = x.shape[1]
        x = F.conv2d(x, k.view(1, 1, 1, -1).expand(c, 1, 1, -1), groups=c, padding=(0, self.size // 2))
        return F.conv2d(x, k.view(1, 1, -1, 1).expand(c, 1, -1, 1), groups=c, padding=(self.size // 2, 0))
