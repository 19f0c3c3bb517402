"""A U-Net with attention at its bottom, which labels corals."""

import torch
from processors import FullAttention
from torch import nn
from torch.nn import functional


class AttentionBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.scale = width**-0.5
        self.processor = FullAttention()

    def forward(self, pixels):
        batch, width, height, breadth = pixels.shape
        tokens = self.norm(pixels.flatten(2).mT)
        tokens = self.attended(tokens)
        return tokens.mT.reshape(batch, width, height, breadth)

    def attended(self, tokens):
        return tokens + self.processor(self, tokens)


class UNet(nn.Module):
    def __init__(self, width=8, classes=5):
        super().__init__()
        self.enter = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.Conv2d(width, 2 * width, 2, stride=2)
        self.middle = nn.ModuleList([AttentionBlock(2 * width) for _ in range(2)])
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.leave = nn.Conv2d(2 * width, classes, 1)

    def forward(self, image):
        top = functional.gelu(self.enter(image))
        bottom = functional.gelu(self.down(top))
        for block in self.middle:
            bottom = block(bottom)
        return self.leave(torch.cat([top, self.up(bottom)], dim=1))

    def attention_blocks(self):
        yield from (block for block in self.modules() if isinstance(block, AttentionBlock))
