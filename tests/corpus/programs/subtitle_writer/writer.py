"""The language model and its greedy loop."""

from dataclasses import dataclass

import torch
from layers import Block
from torch import nn


@dataclass
class WriterConfig:
    vocab: int = 120
    dim: int = 32
    heads: int = 4
    depth: int = 2
    capacity: int = 40
    rows: int = 3


class SubtitleWriter(nn.Module):
    def __init__(self, config: WriterConfig):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocab, config.dim)
        self.places = nn.Embedding(config.capacity, config.dim)
        self.blocks = nn.ModuleList(
            Block(config.dim, heads=config.heads, capacity=config.capacity, rows=config.rows)
            for _ in range(config.depth)
        )
        self.norm = nn.LayerNorm(config.dim)
        self.written = 0

    def restart(self):
        self.written = 0

    def forward(self, ids):
        places = torch.arange(ids.shape[1]) + self.written
        self.written += ids.shape[1]
        x = self.tokens(ids) + self.places(places)
        for block in self.blocks:
            x = block(x, places)
        return self.norm(x[:, -1]) @ self.tokens.weight.T


@torch.inference_mode()
def write(model, step, prompt, length):
    model.restart()
    chosen = [step(prompt).argmax(-1, keepdim=True)]
    while len(chosen) < length:
        chosen.append(step(chosen[-1]).argmax(-1, keepdim=True))
    return torch.cat(chosen, 1)
