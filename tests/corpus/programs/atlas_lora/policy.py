"""A causal model of place names whose blocks are compiled one by one."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, layer_idx, num_layers, heads=2):
        super().__init__()
        self.layer_idx, self.num_layers, self.heads = layer_idx, num_layers, heads
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))
        self.out = nn.Linear(dim, dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = self.split(self.query(h)), self.split(self.key(h)), self.split(self.value(h))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(2))
        depth_scale = 1.0 / (1.0 + self.layer_idx / self.num_layers)
        return x + depth_scale * self.mlp(self.norm2(x))


class Policy(nn.Module):
    def __init__(self, vocab=40, dim=24, layers=4, length=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.position = nn.Parameter(0.02 * torch.randn(length, dim))
        self.layers = nn.ModuleList([Block(dim, i, layers) for i in range(layers)])
        self.norm = nn.LayerNorm(dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)

    def compile_repeated_blocks(self, **options):
        for block in self.layers:
            block.compile(**options)

    def forward(self, ids):
        x = self.embed(ids) + self.position[: ids.size(1)]
        for block in self.layers:
            x = block(x)
        return self.lm_head(self.norm(x))


def logps(logits, labels):
    chosen = logits[:, :-1].log_softmax(-1).gather(-1, labels[:, 1:, None]).squeeze(-1)
    return chosen.sum(-1)
