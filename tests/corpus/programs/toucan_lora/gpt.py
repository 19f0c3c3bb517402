import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    block_size: int = 24
    vocab_size: int = 64
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_head
        self.q = nn.Linear(config.n_embd, config.n_embd, bias=False)
        self.k = nn.Linear(config.n_embd, config.n_embd, bias=False)
        self.v = nn.Linear(config.n_embd, config.n_embd, bias=False)
        self.proj = nn.Linear(config.n_embd, config.n_embd, bias=False)

    def forward(self, x, causal):
        T, C = x.size()
        q, k, v = (
            f(x).view(T, self.n_head, C // self.n_head).transpose(0, 1)
            for f in (self.q, self.k, self.v)
        )
        att = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(C // self.n_head)
        att = att.masked_fill(~causal, float("-inf")).softmax(dim=-1)
        return self.proj(torch.bmm(att, v).transpose(0, 1).reshape(T, C))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd),
            nn.GELU(),
            nn.Linear(4 * config.n_embd, config.n_embd),
        )

    def forward(self, x, causal):
        x = x + self.attn(self.ln_1(x), causal)
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, idx, targets=None):
        """One stretch of text, without a dimension for a batch."""
        x = self.wte(idx) + self.wpe(torch.arange(len(idx)))
        causal = torch.ones(len(idx), len(idx), dtype=torch.bool).tril()
        for block in self.blocks:
            x = block(x, causal)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits[[-1]], None
        return logits, F.cross_entropy(logits, targets)
