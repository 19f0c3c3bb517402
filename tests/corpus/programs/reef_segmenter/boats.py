"""What divers send from their boats, and what the boat's computer can spare."""

from dataclasses import dataclass

import torch

TOKENS = 16 * 16


@dataclass
class Request:
    image: torch.Tensor
    megabytes: int

    @property
    def sliced(self):
        return self.megabytes < 32

    @property
    def slices(self):
        return max(2, TOKENS // (self.megabytes * 8))


def arriving(count=10):
    generator = torch.Generator().manual_seed(4)
    memory = (64, 8, 4, 64, 2, 8, 16, 64, 4, 2)
    for number in range(count):
        image = torch.rand(1, 3, 32, 32, generator=generator)
        yield Request(image, memory[number % len(memory)])
