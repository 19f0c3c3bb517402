"""A tiny class-conditional denoiser."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class ResnetBlock(nn.Module):
    def __init__(self, dim, emb_dim):
        super().__init__()
        self.mlp = nn.Linear(emb_dim, 2 * dim)
        self.block1 = nn.Conv2d(dim, dim, 3, padding=1)
        self.block2 = nn.Conv2d(dim, dim, 3, padding=1)
        self.norm = nn.GroupNorm(4, dim)

    def forward(self, x, emb):
        scale, shift = self.mlp(emb)[:, :, None, None].chunk(2, dim=1)
        h = self.norm(self.block1(x)) * (scale + 1) + shift
        return x + self.block2(F.silu(h))


class Unet(nn.Module):
    def __init__(self, dim=16, channels=3, num_classes=4, timesteps=100):
        super().__init__()
        self.time_emb = nn.Embedding(timesteps, dim)
        self.classes_emb = nn.Embedding(num_classes, dim)
        self.null_classes_emb = nn.Parameter(torch.randn(dim))
        self.init_conv = nn.Conv2d(2 * channels, dim, 3, padding=1)
        self.down = ResnetBlock(dim, dim)
        self.mid = ResnetBlock(dim, dim)
        self.up = ResnetBlock(dim, dim)
        self.final_conv = nn.Conv2d(dim, channels, 1)

    def forward(self, x, t, classes, x_self_cond, cond_drop_prob=0.0):
        if random.random() < cond_drop_prob:
            class_emb = self.null_classes_emb.expand(x.shape[0], -1)
        else:
            class_emb = self.classes_emb(classes)
        emb = F.silu(self.time_emb(t) + class_emb)
        x = self.init_conv(torch.cat((x_self_cond, x), dim=1))
        skip = self.down(x, emb)
        x = self.mid(F.avg_pool2d(skip, 2), emb)
        x = self.up(F.interpolate(x, scale_factor=2) + skip, emb)
        return self.final_conv(x)
