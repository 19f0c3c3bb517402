"""A key/value cache of fixed capacity."""
import torch
from torch import nn


class StaticCache(nn.Module):
    def __init__(self, batch, heads, capacity, dim):
        super().__init__()
        self.register_buffer("keys", torch.zeros(batch, heads, capacity, dim))
        self.register_buffer("values", torch.zeros(batch, heads, capacity, dim))
        self.capacity = capacity
        self.length = 0

    def extend(self, k, v):
        start = self.length
        self.length = start + k.shape[2]
        self.keys[:, :, start:self.length] = k
        self.values[:, :, start:self.length] = v
        return self.keys[:, :, :self.length], self.values[:, :, :self.length]
