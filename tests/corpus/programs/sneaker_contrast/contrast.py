"""Contrast between two views, against what was seen in the last batches."""

import copy
from collections import deque

import torch
from torch import nn
from torch.nn import functional as F


class KeyQueue:
    """The keys of the last batches."""

    def __init__(self, batches):
        self.kept = deque(maxlen=batches)

    def enqueue(self, keys):
        self.kept.append(keys.detach())

    def against(self, keys):
        return torch.cat([keys, *self.kept])


class MoCo(nn.Module):
    def __init__(self, encoder, config):
        super().__init__()
        self.config = config
        self.query_encoder = encoder
        self.key_encoder = copy.deepcopy(encoder).requires_grad_(False)
        self.logit_scale = nn.Parameter(torch.tensor(2.0))
        self.queue = KeyQueue(config.queue_batches)

    @property
    def scale(self):
        return self.logit_scale.exp().clamp(max=self.config.max_scale)

    @torch.no_grad()
    def momentum_update(self):
        m = self.config.momentum
        pairs = zip(self.key_encoder.parameters(), self.query_encoder.parameters(), strict=True)
        for key, query in pairs:
            key.mul_(m).add_(query, alpha=1 - m)

    def forward(self, queries, keys):
        q = F.normalize(self.query_encoder(queries), dim=1)
        with torch.no_grad():
            self.momentum_update()
            k = F.normalize(self.key_encoder(keys), dim=1)
        logits = self.scale * q @ self.queue.against(k).T
        self.queue.enqueue(k)
        return F.cross_entropy(logits, torch.arange(len(q)))
