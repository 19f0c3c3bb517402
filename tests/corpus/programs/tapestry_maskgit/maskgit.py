import math

import torch
import torch.nn.functional as F
from attend import Attention, RelativeBias, exists
from torch import nn


def FeedForward(dim, mult=4):
    return nn.Sequential(
        nn.LayerNorm(dim), nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim)
    )


def cosine_schedule(t):
    return torch.cos(t * math.pi * 0.5)


class Transformer(nn.Module):
    def __init__(self, *, num_tokens, dim, depth, dim_context, heads=2):
        super().__init__()
        self.mask_id = num_tokens
        self.token_emb = nn.Embedding(num_tokens + 1, dim)
        self.rel_bias = RelativeBias(heads)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(
                nn.ModuleList(
                    [
                        Attention(dim, heads),
                        Attention(dim, heads, dim_context=dim_context),
                        FeedForward(dim),
                    ]
                )
            )
        self.norm = nn.LayerNorm(dim)
        self.to_logits = nn.Linear(dim, num_tokens, bias=False)

    def forward(self, ids, text_embeds=None):
        x = self.token_emb(ids)
        bias = self.rel_bias(ids.shape[1])
        for attn, cross_attn, ff in self.layers:
            x = attn(x, bias=bias) + x
            if exists(text_embeds):
                x = cross_attn(x, context=text_embeds) + x
            x = ff(x) + x
        return self.to_logits(self.norm(x))


class MaskGit(nn.Module):
    def __init__(self, transformer, mask_id):
        super().__init__()
        self.transformer = transformer
        self.mask_id = mask_id

    def forward(self, ids, text_embeds=None):
        batch, seq_len = ids.shape
        rand_time = torch.rand(batch, 1)
        num_masked = (seq_len * cosine_schedule(rand_time)).round().clamp(min=1)
        mask = torch.rand(batch, seq_len).argsort(dim=-1) < num_masked
        x = torch.where(mask, self.mask_id, ids)
        logits = self.transformer(x, text_embeds=text_embeds)
        labels = torch.where(mask, ids, -1)
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-1)
