"""A small vision transformer that accepts several resolutions."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Mlp(nn.Module):
    def __init__(self, dim, ratio=2.0, drop=0.0):
        super().__init__()
        hidden = int(dim * ratio)
        self.fc1, self.fc2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        return self.fc2(self.drop(F.gelu(self.fc1(x))))


class Attention(nn.Module):
    def __init__(self, dim, num_heads=2):
        super().__init__()
        self.num_heads = num_heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        x = F.scaled_dot_product_attention(q, k, v)
        return self.proj(x.transpose(1, 2).reshape(B, N, C))


class Block(nn.Module):
    def __init__(self, dim, drop):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn, self.mlp = Attention(dim), Mlp(dim, drop=drop)
        self.grad_checkpointing = False

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        x = self.norm2(x)
        if self.grad_checkpointing and self.training:
            return x + checkpoint(self.mlp, x, use_reentrant=False)
        return x + self.mlp(x)


class VisionTransformer(nn.Module):
    def __init__(self, num_classes, img_size=16, patch=4, dim=16, depth=1, drop=0.1):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, patch, patch)
        self.pos_embed = nn.Parameter(0.02 * torch.randn(1, (img_size // patch) ** 2, dim))
        self.blocks = nn.ModuleList(Block(dim, drop) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, num_classes)

    def set_grad_checkpointing(self, enable=True):
        for block in self.blocks:
            block.grad_checkpointing = enable

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x.mean(1)))
