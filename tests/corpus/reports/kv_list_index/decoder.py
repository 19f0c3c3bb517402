import torch
import torch.nn.functional as F
from torch import nn


class DecoderLayer(nn.Module):
    def __init__(self, dim, layer_idx):
        super().__init__()
        self.layer_idx = layer_idx
        self.qkv = nn.Linear(dim, 3 * dim)
        self.mlp = nn.Linear(dim, dim)

    def forward(self, x, kv_caches, pos):
        k_cache, v_cache = kv_caches[self.layer_idx]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        k_cache.index_copy_(1, pos, k)
        v_cache.index_copy_(1, pos, v)
        mask = torch.arange(k_cache.shape[1])[None] <= pos[:, None]
        x = x + F.scaled_dot_product_attention(q, k_cache, v_cache, attn_mask=mask)
        return x + torch.tanh(self.mlp(x))


class Decoder(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([DecoderLayer(dim, i) for i in range(layers)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, token, kv_caches, pos):
        x = self.embed(token)
        for layer in self.layers:
            x = layer(x, kv_caches, pos)
        return self.head(x)
