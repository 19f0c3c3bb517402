"""A small residual network that stands for a pretrained one."""

import torch
import torch.nn as nn


class BasicBlock(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.down = nn.Conv2d(c_in, c_out, 1, stride, bias=False)
        self.act = nn.ReLU()

    def forward(self, x):
        out = self.act(self.bn1(self.conv1(x)))
        return self.act(self.bn2(self.conv2(out)) + self.down(x))


class FlowerNet(nn.Module):
    def __init__(self, num_classes=5):
        super().__init__()
        self.backbone = nn.Sequential(BasicBlock(3, 8, 2), BasicBlock(8, 16, 2))
        self.head = nn.Linear(16, num_classes)

    def load_pretrained(self, seed=0):
        g = torch.Generator().manual_seed(seed)
        for p in self.backbone.parameters():
            if p.dim() > 1:
                p.data.normal_(std=0.1, generator=g)

    def forward(self, x):
        return self.head(self.backbone(x).mean((2, 3)))
