"""Photographs of mushrooms from phones, held upright or sideways."""

from functools import partial

import torch


def upright(image):
    return image


def sideways(image):
    """As the sensor reads it: rows and columns change places."""
    return image.transpose(-1, -2)


def brightened(image, *, by):
    return (image + by).clamp(0.0, 1.0)


PHONES = {
    "old": [upright],
    "new": [upright, partial(brightened, by=0.1)],
    "tablet": [sideways],
}


def album(count, batch=6, size=10, seed=31):
    """Yield the phone, its photographs, and whether they can be eaten."""
    generator = torch.Generator().manual_seed(seed)
    names = list(PHONES)
    for number in range(count):
        edible = torch.randint(0, 2, (batch,), generator=generator)
        image = torch.rand(batch, 3, size, size, generator=generator)
        image = image * (0.5 + 0.5 * edible.view(-1, 1, 1, 1))
        name = names[number % len(names)]
        for step in PHONES[name]:
            image = step(image)
        yield name, image, edible.float()
