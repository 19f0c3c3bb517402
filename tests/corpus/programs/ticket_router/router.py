"""A shared reader with a head for each desk."""

from collections.abc import Mapping

import torch
from torch import nn

READERS: dict[str, type[nn.Module]] = {}


def reader(cls):
    READERS[cls.field] = cls
    return cls


@reader
class TextReader(nn.Module):
    field = "text"

    def __init__(self, dim):
        super().__init__()
        self.bag = nn.EmbeddingBag(90, dim)

    def forward(self, value):
        return self.bag(value)


@reader
class UrgencyReader(nn.Linear):
    field = "urgent"

    def __init__(self, dim):
        super().__init__(1, dim)


@reader
class PhotoReader(nn.Linear):
    field = "photo"

    def __init__(self, dim):
        super().__init__(8, dim)


class Router(nn.Module):
    def __init__(self, desks: Mapping[str, int], dim=16):
        super().__init__()
        self.readers = nn.ModuleDict({name: build(dim) for name, build in READERS.items()})
        self.mix = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.SiLU())
        self.heads = nn.ModuleDict({desk: nn.Linear(dim, size) for desk, size in desks.items()})

    def read(self, fields):
        parts = [self.readers[name](value) for name, value in fields.items()]
        return self.mix(torch.stack(parts).sum(0))

    def forward(self, fields, desk):
        return self.heads[desk](self.read(fields))
