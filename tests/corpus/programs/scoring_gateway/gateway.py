"""Scores requests; bulk work may use every thread, the rest may not."""

from contextlib import contextmanager

import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, features, width=24):
        super().__init__()
        self.register_buffer("mean", torch.full((features,), 0.5))
        self.net = nn.Sequential(nn.Linear(features, width), nn.Mish(), nn.Linear(width, 1))

    def forward(self, rows):
        return self.net((rows - self.mean).float()).sigmoid().squeeze(1)


@contextmanager
def threads(count):
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Gateway:
    BULK = ("warehouse",)

    def __init__(self, scorer):
        self.score = torch.compile(scorer.eval(), backend="eager", fullgraph=True)
        self.answered = 0

    @torch.inference_mode()
    def handle(self, client, rows):
        self.answered += 1
        with threads(2 if client in self.BULK else 1):
            return self.score(rows).tolist()
