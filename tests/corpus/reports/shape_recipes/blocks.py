import torch
from torch import nn
import torch.nn.functional as F

from patterns import reorder


class AxialMixer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        split = lambda z: reorder(z.view(b, t, self.heads, -1), "b t h d -> b h t d")
        y = F.scaled_dot_product_attention(split(q), split(k), split(v))
        y = reorder(y, "b h t d -> b t h d").reshape(b, t, c)
        return x + self.out(y)


class Tagger(nn.Module):
    def __init__(self, vocab=40, width=32, depth=2, tags=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList(AxialMixer(width, 4) for _ in range(depth))
        self.head = nn.Linear(width, tags)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return reorder(self.head(x), "b t k -> b k t")
