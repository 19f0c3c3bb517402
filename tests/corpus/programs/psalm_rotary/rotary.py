import torch
from torch import nn

# helper functions


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_emb(freqs, t, scale=1.0):
    return t * freqs.cos() * scale + rotate_half(t) * freqs.sin() * scale


# classes


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, theta=10000, interpolate_factor=1.0, cache_if_possible=True):
        super().__init__()
        freqs = 1.0 / (theta ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("freqs", freqs, persistent=False)
        self.interpolate_factor = interpolate_factor
        self.cache_if_possible = cache_if_possible
        self.cache = {}

    def get_freqs(self, seq_len):
        t = torch.arange(seq_len, device=self.freqs.device).float() / self.interpolate_factor
        freqs = t[:, None] * self.freqs[None]
        return torch.cat((freqs, freqs), dim=-1)

    def forward(self, seq_len):
        if not self.cache_if_possible:
            return self.get_freqs(seq_len)
        if seq_len not in self.cache:
            self.cache[seq_len] = self.get_freqs(seq_len)
        return self.cache[seq_len]

    def rotate_queries_and_keys(self, q, k):
        freqs = self.forward(q.shape[-2])
        return apply_rotary_emb(freqs, q), apply_rotary_emb(freqs, k)
