"""Blocks of the network, which know how long they take."""

import time

import torch
from torch import nn

JOINTS = 8


class Timed(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.began = 0.0

    def forward(self, x):
        self.began = time.perf_counter()
        return x + self.inner(x)


@torch.compiler.disable
def sway(pose, by=0.02):
    """Nobody stands still."""
    return pose + by * torch.randn_like(pose)


class Poses(nn.Module):
    def __init__(self, names, width=16):
        super().__init__()
        self.enter = nn.Linear(2 * JOINTS, width)
        self.block = Timed(nn.Sequential(nn.Linear(width, width), nn.SiLU()))
        self.leave = nn.Linear(width, names)

    def forward(self, pose):
        if self.training:
            pose = sway(pose)
        return self.leave(self.block(self.enter(pose.flatten(1))))
