"""Transformer blocks whose attention is delegated to an exchangeable processor."""
import inspect

import torch
import torch.nn as nn


class PlainProcessor:
    """Scaled dot product attention over heads."""

    def __call__(self, attn, hidden, scale=1.0):
        b, n, c = hidden.shape
        q, k, v = attn.qkv(hidden).view(b, n, 3, attn.heads, c // attn.heads).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        return attn.out(mixed.transpose(1, 2).reshape(b, n, c)) * scale


class Attention(nn.Module):
    def __init__(self, width, heads, processor):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.processor = processor

    def forward(self, hidden, **kwargs):
        known = set(inspect.signature(self.processor.__call__).parameters)
        kwargs = {k: v for k, v in kwargs.items() if k in known}
        return self.processor(self, hidden, **kwargs)


class Block(nn.Module):
    def __init__(self, width, heads, processor):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attn = Attention(width, heads, processor)
        self.ff = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, hidden):
        hidden = hidden + self.attn(self.norm(hidden), scale=0.5, guidance=None)
        return hidden + self.ff(hidden)
