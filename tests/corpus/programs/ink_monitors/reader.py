"""Reads digits in ink."""

import torch
from counting import counted
from monitors import MONITORS
from torch import nn
from torch.nn import functional


@counted
def sharpened(image):
    blurred = functional.avg_pool2d(image, 3, stride=1, padding=1)
    return (2 * image - blurred).clamp(0, 1)


class Reader(nn.Module):
    def __init__(self, width=20, digits=4):
        super().__init__()
        self.enter = nn.Linear(64, width)
        self.leave = nn.Linear(width, digits)

    def forward(self, image):
        strokes = sharpened(image)
        hidden = torch.relu(self.enter(strokes.flatten(1)))
        seen = {}
        for name, monitor in MONITORS.items():
            seen[name] = monitor(hidden)
        return self.leave(hidden), seen
