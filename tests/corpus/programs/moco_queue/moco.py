"""Momentum contrast: a query encoder, a slow copy for the keys, and a ring of old keys."""

import copy

import torch
from torch import nn
from torch.nn import functional


class MomentumMixin:
    @torch.no_grad()
    def follow(self, fast, slow, momentum):
        for new, old in zip(fast.parameters(), slow.parameters(), strict=True):
            old.mul_(momentum).add_(new, alpha=1 - momentum)


class RingMixin:
    def make_ring(self, capacity, width):
        self.register_buffer("ring", functional.normalize(torch.randn(capacity, width), dim=1))
        self.position = 0

    @torch.no_grad()
    def push(self, keys):
        self.ring[self.position : self.position + len(keys)] = keys
        self.position = (self.position + len(keys)) % len(self.ring)


class Moco(MomentumMixin, RingMixin, nn.Module):
    def __init__(self, encoder, capacity=32, width=8, temperature=0.2):
        super().__init__()
        self.query = encoder
        self.key = copy.deepcopy(encoder).requires_grad_(False)
        self.make_ring(capacity, width)
        self.temperature = temperature

    def forward(self, first, second, momentum):
        queries = functional.normalize(self.query(first), dim=1)
        with torch.no_grad():
            self.follow(self.query, self.key, momentum)
            keys = functional.normalize(self.key(second), dim=1)
        positive = (queries * keys).sum(1, keepdim=True)
        negative = queries @ self.ring.clone().t()
        logits = torch.cat([positive, negative], 1) / self.temperature
        self.push(keys)
        return functional.cross_entropy(logits, torch.zeros(len(first), dtype=torch.long))
