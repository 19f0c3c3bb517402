from collections import OrderedDict

import torch
from torch import nn


def conv_block(inp, oup, stride=1):
    return nn.Sequential(
        nn.Conv2d(inp, oup, 3, stride=stride, padding=1, bias=False),
        nn.GroupNorm(4, oup),
        nn.ReLU(inplace=True),
    )


class Encoder(nn.Module):
    def __init__(self, widths=(8, 16, 24)):
        super().__init__()
        inp = 3
        for i, oup in enumerate(widths):
            self.add_module(f"stage{i}", conv_block(inp, oup, stride=1 if i == 0 else 2))
            inp = oup
        self.widths = widths

    def forward(self, x):
        features = []
        for stage in self.children():
            x = stage(x)
            features.append(x)
        return features


class Up(nn.Module):
    def __init__(self, inp, oup):
        super().__init__()
        self.up = nn.ConvTranspose2d(inp, oup, 2, stride=2)
        self.conv = conv_block(2 * oup, oup)

    def forward(self, x, skip):
        return self.conv(torch.cat([self.up(x), skip], dim=1))


class VesselNet(nn.Module):
    """A U-Net whose middle level has a head of its own, as in deep supervision."""

    def __init__(self, encoder, aux_head=True):
        super().__init__()
        w0, w1, w2 = encoder.widths
        self.encoder = encoder
        self.up1 = Up(w2, w1)
        self.up0 = Up(w1, w0)
        self.head = nn.Conv2d(w0, 1, 1)
        self.aux_head = nn.Conv2d(w1, 1, 1) if aux_head else None

    def forward(self, x):
        f0, f1, f2 = self.encoder(x)
        d1 = self.up1(f2, f1)
        d0 = self.up0(d1, f0)
        result = OrderedDict(out=self.head(d0).squeeze(1))
        if self.aux_head is not None and self.training:
            result["aux"] = self.aux_head(d1).squeeze(1)
        return result
