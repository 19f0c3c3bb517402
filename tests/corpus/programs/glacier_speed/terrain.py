"""Ice in a valley: thickness, slope, and where somebody measured its speed."""

from dataclasses import dataclass

import torch


@dataclass
class Valley:
    thickness: torch.Tensor
    slope: torch.Tensor
    speed: torch.Tensor
    measured: torch.Tensor

    def __iter__(self):
        return iter((self.thickness, self.slope, self.speed, self.measured))


def survey(cells=24, share=0.4, generator=None):
    thickness = 0.5 + torch.rand(cells, generator=generator)
    slope = 0.2 + 0.3 * torch.rand(cells, generator=generator)
    speed = 0.8 * slope.pow(3) * thickness.pow(4)
    measured = (torch.rand(cells, generator=generator) < share).float()
    return Valley(thickness, slope, speed, measured)
