import torch
import torch.nn as nn
import torch.nn.functional as F
from lora import LoRALinear


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        n = config["n_embd"]
        self.n_head = config["n_head"]
        self.c_attn = LoRALinear(n, 3 * n, r=config["r"])
        self.c_proj = nn.Linear(n, n)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (
            y.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            for y in self.c_attn(x).split(C, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        n = config["n_embd"]
        self.ln_1, self.ln_2 = nn.LayerNorm(n), nn.LayerNorm(n)
        self.attn = CausalSelfAttention(config)
        self.mlp = nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        n = config["n_embd"]
        self.wte = nn.Embedding(config["vocab_size"], n)
        self.wpe = nn.Embedding(config["block_size"], n)
        self.h = nn.ModuleList(Block(config) for _ in range(config["n_layer"]))
        self.ln_f = nn.LayerNorm(n)
        self.lm_head = nn.Linear(n, config["vocab_size"], bias=False)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
