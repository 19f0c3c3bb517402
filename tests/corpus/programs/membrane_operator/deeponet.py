"""DeepONet: a branch for the load, a trunk for the place."""

from itertools import pairwise

from torch import Tensor, nn, sin


class Sine(nn.Module):
    def __init__(self, omega: float = 3.0):
        super().__init__()
        self.omega = omega

    def forward(self, x: Tensor) -> Tensor:
        return sin(self.omega * x)


def mlp(sizes: list[int], act: type[nn.Module]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, (a, b) in enumerate(pairwise(sizes)):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act())
    return nn.Sequential(*layers)


class DeepONet(nn.Module):
    def __init__(self, sensors: int, width: int = 24, rank: int = 12):
        super().__init__()
        self.branch = mlp([sensors, width, rank], nn.Tanh)
        self.trunk = mlp([1, width, width, rank], Sine)
        self.bias = nn.Linear(rank, 1)

    def forward(self, load: Tensor, place: Tensor) -> Tensor:
        b, t = self.branch(load), self.trunk(place)
        return b @ t.T + self.bias(t).squeeze(-1)
