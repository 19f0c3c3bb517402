import torch
import torch.nn.functional as F
from torch import nn


class SpeechCache:
    def __init__(self, layers, max_len, frames, dim):
        self.self_kv = [(torch.zeros(1, max_len, dim), torch.zeros(1, max_len, dim)) for _ in range(layers)]
        self.cross_kv = [(torch.zeros(1, frames, dim), torch.zeros(1, frames, dim)) for _ in range(layers)]
        self.filled = {i: False for i in range(layers)}


class DecoderLayer(nn.Module):
    def __init__(self, dim, index):
        super().__init__()
        self.index = index
        self.qkv, self.cross_q, self.cross_k, self.cross_v = nn.Linear(dim, 3 * dim), *(nn.Linear(dim, dim) for _ in range(3))
        self.mlp = nn.Linear(dim, dim)

    def forward(self, x, audio, cache, pos):
        k_all, v_all = cache.self_kv[self.index]
        q, k, v = self.qkv(x).chunk(3, -1)
        k_all.index_copy_(1, pos, k)
        v_all.index_copy_(1, pos, v)
        seen = torch.arange(k_all.shape[1])[None] <= pos[:, None]
        x = x + F.scaled_dot_product_attention(q, k_all, v_all, attn_mask=seen)
        ck, cv = cache.cross_kv[self.index]
        if not cache.filled[self.index]:
            ck.copy_(self.cross_k(audio))
            cv.copy_(self.cross_v(audio))
            cache.filled[self.index] = True
        x = x + F.scaled_dot_product_attention(self.cross_q(x), ck, cv)
        return x + torch.tanh(self.mlp(x))


class Decoder(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([DecoderLayer(dim, i) for i in range(layers)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, token, audio, cache, pos):
        x = self.embed(token)
        for layer in self.layers:
            x = layer(x, audio, cache, pos)
        return self.head(x)
