"""Boxes, and how well they overlap."""

import torch


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)


def box_iou(one, other):
    lower = torch.max(one[:, None, :2], other[None, :, :2])
    upper = torch.min(one[:, None, 2:], other[None, :, 2:])
    shared = (upper - lower).clamp(min=0).prod(2)
    return shared / (area(one)[:, None] + area(other)[None] - shared).clamp(min=1e-6)


def anchors(stride, cells):
    centers = (torch.arange(cells) + 0.5) * stride
    y, x = torch.meshgrid(centers, centers, indexing="ij")
    half = stride * 0.75
    return torch.stack([x - half, y - half, x + half, y + half], dim=-1).view(-1, 4)
