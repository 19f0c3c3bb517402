"""A decoder in the manner of Llama."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class NotesConfig:
    vocabulary: int = 32
    width: int = 24
    heads: int = 2
    layers: int = 2
    max_length: int = 32

    @property
    def head_dim(self):
        return self.width // self.heads


@dataclass
class CausalLMOutput:
    logits: torch.Tensor
    loss: torch.Tensor | None = None


class Attention(nn.Module):
    def __init__(self, config, layer):
        super().__init__()
        self.layer, self.heads = layer, config.heads
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=False)
        self.out = nn.Linear(config.width, config.width, bias=False)

    def forward(self, x, cache):
        batch, count, width = x.shape
        q, k, v = self.qkv(x).view(batch, count, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if cache is None:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            k, v = cache.update(self.layer, k, v)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=cache.mask(count))
        return self.out(y.transpose(1, 2).reshape(batch, count, width))


class Layer(nn.Module):
    def __init__(self, config, number):
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.width)
        self.attention = Attention(config, number)
        self.mlp = nn.Sequential(
            nn.RMSNorm(config.width),
            nn.Linear(config.width, 2 * config.width),
            nn.SiLU(),
            nn.Linear(2 * config.width, config.width),
        )

    def forward(self, x, cache):
        x = x + self.attention(self.attention_norm(x), cache)
        return x + self.mlp(x)


class NotesForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config, number) for number in range(config.layers))
        self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)

    def forward(self, input_ids, labels=None, cache=None):
        x = self.embed(input_ids)
        for layer in self.layers:
            x = layer(x, cache)
        logits = self.lm_head(x)
        if labels is None:
            return CausalLMOutput(logits)
        return CausalLMOutput(logits, F.cross_entropy(logits[:, :-1].mT, labels[:, 1:]))
