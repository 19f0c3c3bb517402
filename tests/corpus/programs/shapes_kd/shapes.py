"""Grey pictures of simple shapes."""

import torch

CLASSES = ("disc", "ring", "bar", "cross")


def draw(kind, size, g):
    axis = torch.arange(size) - size / 2 + 0.5
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    dy, dx = (torch.rand(2, generator=g) * 6 - 3).tolist()
    r, y, x = ((y - dy) ** 2 + (x - dx) ** 2).sqrt(), y - dy, x - dx
    if kind == 0:
        return r < 4
    if kind == 1:
        return (r < 5) & (r > 3)
    if kind == 2:
        return (y.abs() < 1.5) & (x.abs() < 6)
    return ((y.abs() < 1.5) | (x.abs() < 1.5)) & (r < 6)


def dataset(count, size=16, seed=0):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, len(CLASSES), (count,), generator=g)
    images = torch.stack([draw(int(k), size, g).float() for k in labels])
    return images.unsqueeze(1) + 0.4 * torch.randn(count, 1, size, size, generator=g), labels


def batches(images, labels, size, shuffle=True):
    order = torch.randperm(len(images)) if shuffle else torch.arange(len(images))
    for index in order.split(size):
        if len(index) == size:
            yield images[index], labels[index]
