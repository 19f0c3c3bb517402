import torch
from torch import nn
import torch.nn.functional as F


class ElasticLinear(nn.Module):
    """A linear layer of which only the first rows and columns are active."""

    def __init__(self, most_in, most_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(most_out, most_in) * most_in ** -0.5)
        self.bias = nn.Parameter(torch.zeros(most_out))
        self.width_in, self.width_out = most_in, most_out

    def choose(self, width_in, width_out):
        self.width_in, self.width_out = width_in, width_out

    def forward(self, x):
        return F.linear(x, self.weight[: self.width_out, : self.width_in], self.bias[: self.width_out])


class SuperNet(nn.Module):
    def __init__(self, features=24, hidden=64, layers=4, classes=5):
        super().__init__()
        self.stem = ElasticLinear(features, hidden)
        self.body = nn.ModuleList(ElasticLinear(hidden, hidden) for _ in range(layers))
        self.head = ElasticLinear(hidden, classes)
        self.features, self.classes, self.depth = features, classes, layers

    def set_subnet(self, hidden, depth):
        self.stem.choose(self.features, hidden)
        for layer in self.body:
            layer.choose(hidden, hidden)
        self.head.choose(hidden, self.classes)
        self.depth = depth

    def forward(self, x):
        x = F.relu(self.stem(x))
        for layer in self.body[: self.depth]:
            x = x + F.relu(layer(x))
        return self.head(x)
