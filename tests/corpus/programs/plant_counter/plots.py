"""Photographs of plots in a field, with as many plants as germinated."""

from dataclasses import dataclass, field

import torch


@dataclass
class Plot:
    image: torch.Tensor
    centres: torch.Tensor
    season: str = field(default="spring")

    @property
    def density(self):
        """A bump at each plant; their sum is the number of plants."""
        height, width = self.image.shape[-2:]
        rows = torch.arange(height).view(-1, 1)
        columns = torch.arange(width)
        total = torch.zeros(height, width)
        for row, column in self.centres:
            bump = torch.exp(-((rows - row).square() + (columns - column).square()) / 2)
            total = total + bump / bump.sum()
        return total


def photograph(generator, height=12, width=12, season="spring"):
    plants = int(torch.randint(2, 7, (), generator=generator))
    centres = torch.rand(plants, 2, generator=generator) * torch.tensor([height, width])
    image = torch.rand(3, height, width, generator=generator)
    return Plot(image, centres, season)


def field_walk(count, seed=0):
    """Plots in the order of a walk; those at the end of a row are cut off."""
    generator = torch.Generator().manual_seed(seed)
    for step in range(count):
        width = 8 if step % 4 == 3 else 12
        yield photograph(generator, width=width)
