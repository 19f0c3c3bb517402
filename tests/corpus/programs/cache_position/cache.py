"""Keys and values of what was read so far, in buffers of a fixed length."""

from dataclasses import dataclass, field

import torch


@dataclass
class LayerCache:
    keys: torch.Tensor
    values: torch.Tensor

    def put(self, position, key, value):
        self.keys[:, position] = key
        self.values[:, position] = value
        return self.keys, self.values


@dataclass
class Cache:
    layers: list[LayerCache] = field(default_factory=list)

    @classmethod
    def empty(cls, depth, batch, longest, width):
        shape = (batch, longest, width)
        return cls([LayerCache(torch.zeros(shape), torch.zeros(shape)) for _ in range(depth)])
