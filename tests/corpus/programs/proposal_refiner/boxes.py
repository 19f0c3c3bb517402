"""Boxes as (x1, y1, x2, y2), in pixels."""

import torch


def area(boxes):
    return (boxes[..., 2] - boxes[..., 0]).clamp(min=0) * (boxes[..., 3] - boxes[..., 1]).clamp(
        min=0
    )


def overlap(first, second):
    corner = torch.maximum(first[..., :2], second[..., :2])
    opposite = torch.minimum(first[..., 2:], second[..., 2:])
    inner = area(torch.cat([corner, opposite], -1))
    return inner / (area(first) + area(second) - inner).clamp(min=1e-6)


def keep_confident(values, scores, threshold=0.5):
    return values[scores.sigmoid() > threshold]


def regression_loss(predicted, wanted, scores):
    distance = 1 - overlap(predicted, wanted)
    return keep_confident(distance, scores).sum() / scores.numel()
