"""Boxes, and what is annotated of an image."""

from dataclasses import dataclass

import torch


@dataclass
class Instances:
    boxes: torch.Tensor
    classes: torch.Tensor

    def __len__(self):
        return len(self.classes)


def pairwise_iou(a, b):
    top_left = torch.maximum(a[:, None, :2], b[None, :, :2])
    bottom_right = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inner = (bottom_right - top_left).clamp(min=0).prod(-1)
    area_a = (a[:, 2:] - a[:, :2]).prod(-1)
    area_b = (b[:, 2:] - b[:, :2]).prod(-1)
    return inner / (area_a[:, None] + area_b[None] - inner).clamp(min=1e-6)
