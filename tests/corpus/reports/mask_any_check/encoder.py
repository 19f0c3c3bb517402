import torch.nn.functional as F
from torch import nn

from masking import additive_mask


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, keep):
        b, t, c = x.shape
        bias = additive_mask(keep, x.dtype)
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return x + self.out(y.transpose(1, 2).reshape(b, t, c))


class Encoder(nn.Module):
    def __init__(self, words=40, width=16, heads=2, depth=2):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, 2)

    def forward(self, tokens, keep=None):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, keep)
        return self.head(x[:, 0])
