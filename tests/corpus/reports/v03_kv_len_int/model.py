import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCache(nn.Module):
    def __init__(self, batch, heads, max_len, head_dim):
        super().__init__()
        self.register_buffer("k_cache", torch.zeros(batch, heads, max_len, head_dim), persistent=False)
        self.register_buffer("v_cache", torch.zeros(batch, heads, max_len, head_dim), persistent=False)
        self.max_len = max_len
        self.size = 0

    def reset(self):
        self.k_cache.zero_()
        self.v_cache.zero_()
        self.size = 0

    def update(self, k, v):
        n = k.shape[2]
        pos = torch.arange(self.size, self.size + n)
        self.k_cache[:, :, pos] = k
        self.v_cache[:, :, pos] = v
        self.size += n
        return self.k_cache, self.v_cache


class Attention(nn.Module):
    def __init__(self, dim, heads, batch, max_len):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.kv_cache = KVCache(batch, heads, max_len, dim // heads)

    def forward(self, x, mask):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        k, v = self.kv_cache.update(k, v)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Decoder(nn.Module):
    def __init__(self, vocab=50, dim=32, heads=4, depth=2, batch=1, max_len=32):
        super().__init__()
        self.max_len = max_len
        self.emb = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(Attention(dim, heads, batch, max_len) for _ in range(depth))
        self.mlp = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.head = nn.Linear(dim, vocab)

    def reset_caches(self):
        for a in self.attn:
            a.kv_cache.reset()

    def forward(self, tokens, mask):
        x = self.emb(tokens)
        for attn, mlp in zip(self.attn, self.mlp):
            x = x + attn(x, mask)
            x = x + F.gelu(mlp(x))
        return self.head(x[:, -1])
