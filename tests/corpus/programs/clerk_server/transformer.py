from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F


@dataclass
class ModelArgs:
    block_size: int = 32
    vocab_size: int = 48
    n_layer: int = 2
    n_head: int = 2
    dim: int = 24

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_head


class KVCache(nn.Module):
    def __init__(self, slots: int, config: ModelArgs):
        super().__init__()
        shape = (slots, config.n_head, config.block_size, config.head_dim)
        self.register_buffer("k_cache", torch.zeros(shape))
        self.register_buffer("v_cache", torch.zeros(shape))

    def update(self, input_pos: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        # input_pos: [B, S], k and v: [B, H, S, D]
        index = input_pos[:, None, :, None].expand_as(k)
        self.k_cache.scatter_(2, index, k)
        self.v_cache.scatter_(2, index, v)
        return self.k_cache, self.v_cache


class TransformerBlock(nn.Module):
    def __init__(self, config: ModelArgs):
        super().__init__()
        self.config = config
        self.wqkv = nn.Linear(config.dim, 3 * config.dim, bias=False)
        self.wo = nn.Linear(config.dim, config.dim, bias=False)
        self.w1 = nn.Linear(config.dim, 2 * config.dim, bias=False)
        self.w2 = nn.Linear(2 * config.dim, config.dim, bias=False)
        self.kv_cache: KVCache | None = None

    def attend(self, x: Tensor, input_pos: Tensor, mask: Tensor) -> Tensor:
        parts = self.wqkv(x).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.config.n_head, -1)).transpose(1, 2) for t in parts)
        if self.kv_cache is not None:
            k, v = self.kv_cache.update(input_pos, k, v)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None])
        return self.wo(y.transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, input_pos: Tensor, mask: Tensor) -> Tensor:
        h = x + self.attend(F.rms_norm(x, (x.size(-1),)), input_pos, mask)
        return h + self.w2(F.silu(self.w1(F.rms_norm(h, (h.size(-1),)))))


class Transformer(nn.Module):
    def __init__(self, config: ModelArgs):
        super().__init__()
        self.config = config
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        self.pos_embeddings = nn.Embedding(config.block_size, config.dim)
        self.layers = nn.ModuleList([TransformerBlock(config) for _ in range(config.n_layer)])
        self.output = nn.Linear(config.dim, config.vocab_size, bias=False)

    def setup_caches(self, slots: int) -> None:
        for layer in self.layers:
            layer.kv_cache = KVCache(slots, self.config)

    def forward(self, idx: Tensor, input_pos: Tensor) -> Tensor:
        mask = torch.arange(self.config.block_size) <= input_pos[..., None]
        x = self.tok_embeddings(idx) + self.pos_embeddings(input_pos)
        for layer in self.layers:
            x = layer(x, input_pos, mask)
        return self.output(x)
