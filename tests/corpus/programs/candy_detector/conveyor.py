"""Sweets on a conveyor belt: pictures, and boxes as (cx, cy, w, h)."""

import torch


class Belt:
    def __init__(self, size=32, most=5, classes=3, seed=0):
        self.size, self.most, self.classes = size, most, classes
        self.generator = torch.Generator().manual_seed(seed)

    def frame(self):
        g = self.generator
        count = int(torch.randint(1, self.most + 1, (), generator=g))
        labels = torch.randint(self.classes, (count,), generator=g)
        centres = 0.15 + 0.7 * torch.rand(count, 2, generator=g)
        extents = 0.1 + 0.1 * torch.rand(count, 2, generator=g)
        image = 0.1 * torch.rand(3, self.size, self.size, generator=g)
        for label, (cx, cy), (w, h) in zip(labels, centres, extents, strict=True):
            left, right = int((cx - w / 2) * self.size), int((cx + w / 2) * self.size) + 1
            top, bottom = int((cy - h / 2) * self.size), int((cy + h / 2) * self.size) + 1
            image[label, top:bottom, left:right] = 1.0
        return image, {"labels": labels, "boxes": torch.cat([centres, extents], dim=1)}


def collate(frames, most):
    """Targets of all pictures in one tensor each; a class of -1 is none."""
    images = torch.stack([image for image, _ in frames])
    labels = torch.full((len(frames), most), -1)
    boxes = torch.zeros(len(frames), most, 4)
    for row, (_, target) in enumerate(frames):
        count = len(target["labels"])
        labels[row, :count], boxes[row, :count] = target["labels"], target["boxes"]
    return {"images": images, "labels": labels, "boxes": boxes}
