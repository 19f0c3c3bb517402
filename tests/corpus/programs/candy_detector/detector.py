import torch
import torch.nn.functional as F
from registry import HEADS
from torch import nn


class Backbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, 2, 1)
        self.stages = nn.ModuleList([nn.Conv2d(width, width, 3, 2, 1) for _ in range(2)])

    def forward(self, x):
        x = F.relu(self.stem(x))
        maps = []
        for stage in self.stages:
            x = F.relu(stage(x))
            maps.append(x)
        return maps


@HEADS.register("centre")
class CentreHead(nn.Module):
    """For each cell of each map: classes and background, and a box."""

    def __init__(self, width, classes):
        super().__init__()
        self.tower = nn.Conv2d(width, width, 3, padding=1)
        self.cls = nn.Conv2d(width, classes + 1, 1)
        self.box = nn.Conv2d(width, 4, 1)

    def forward(self, maps):
        logits, boxes = [], []
        for x in maps:
            x = F.relu(self.tower(x))
            logits.append(self.cls(x).flatten(2))
            boxes.append(self.box(x).sigmoid().flatten(2))
        return torch.cat(logits, 2).transpose(1, 2), torch.cat(boxes, 2).transpose(1, 2)


class Detector(nn.Module):
    def __init__(self, classes, width=8, head="centre"):
        super().__init__()
        self.backbone = Backbone(width)
        self.head = HEADS.build(head, width, classes)

    def forward(self, images):
        return self.head(self.backbone(images))
