"""What is looked at to tell where a piece belongs."""

from torch import nn

HEADS = {}


def head(name):
    def register(make):
        HEADS[name] = make
        return make

    return register


@head("edge")
def edge(size, width):
    return nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())


@head("colour")
def colour(size, width):
    return nn.Sequential(nn.AvgPool2d(size), nn.Flatten(), nn.Linear(3, width), nn.Tanh())


@head("texture")
def texture(size, width):
    return nn.Sequential(nn.Flatten(), nn.Linear(3 * size * size, width), nn.GELU())
