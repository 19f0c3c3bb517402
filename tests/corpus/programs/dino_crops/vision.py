"""A patch encoder and DINO's head."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchEncoder(nn.Module):
    def __init__(self, dim=24, patch=4):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, patch, patch)
        self.norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = x + self.mlp(self.norm(x))
        return x.mean(1)


class DINOHead(nn.Module):
    def __init__(self, in_dim=24, out_dim=32, bottleneck=8):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(in_dim, 24), nn.GELU(), nn.Linear(24, bottleneck))
        self.last_layer = nn.Linear(bottleneck, out_dim, bias=False)

    def forward(self, x):
        return self.last_layer(F.normalize(self.mlp(x), dim=-1))


class MultiCropWrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = PatchEncoder()
        self.head = DINOHead()

    def forward(self, crops):
        return self.head(torch.cat([self.backbone(crop) for crop in crops]))
