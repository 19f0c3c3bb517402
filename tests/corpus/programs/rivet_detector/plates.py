"""Photographs of steel plates with rivets; some are sound, some rusty."""

import torch
from structures import Instances

SIZE = 32


def plate(g, most=6):
    count = int(torch.randint(2, most + 1, (), generator=g))
    centers = torch.rand(count, 2, generator=g) * (SIZE - 10) + 5
    radius = 2 + 2 * torch.rand(count, 1, generator=g)
    classes = torch.randint(0, 2, (count,), generator=g)
    axis = torch.arange(SIZE, dtype=torch.float32)
    image = 0.1 * torch.randn(2, SIZE, SIZE, generator=g)
    for (x, y), r, kind in zip(centers.tolist(), radius.flatten().tolist(), classes, strict=True):
        image[kind] += (((axis[None] - x) ** 2 + (axis[:, None] - y) ** 2) < r * r).float()
    boxes = torch.cat([centers - radius, centers + radius], dim=1)
    return {"image": image, "instances": Instances(boxes, classes)}


def build_detection_train_loader(batch, seed=3):
    g = torch.Generator().manual_seed(seed)
    while True:
        yield [plate(g) for _ in range(batch)]
