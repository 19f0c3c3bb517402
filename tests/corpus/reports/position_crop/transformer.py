import torch
from torch import nn


class AuraBlock(nn.Module):
    def __init__(self, dim, patch, pos_embed_max_size):
        super().__init__()
        self.patch, self.pos_embed_max_size = patch, pos_embed_max_size
        self.proj = nn.Conv2d(4, dim, patch, stride=patch)
        self.pos_embed = nn.Parameter(0.1 * torch.randn(1, pos_embed_max_size, dim))
        self.mix = nn.Linear(dim, dim)
        self.out = nn.ConvTranspose2d(dim, 4, patch, stride=patch)

    def positions(self, hp, wp):
        side = int(self.pos_embed_max_size ** 0.5)
        table = self.pos_embed.view(1, side, side, -1)
        top, left = (side - hp) // 2, (side - wp) // 2
        if hp != side:
            table = table[:, top:top + hp]
        if wp != side:
            table = table[:, :, left:left + wp]
        return table.flatten(1, 2)

    def forward(self, x):
        h = self.proj(x)
        hp, wp = x.shape[2] // self.patch, x.shape[3] // self.patch
        t = h.flatten(2).transpose(1, 2) + self.positions(hp, wp)
        t = t + torch.tanh(self.mix(t))
        return self.out(t.transpose(1, 2).reshape(h.shape))
