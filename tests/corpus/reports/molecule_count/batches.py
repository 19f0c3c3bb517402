from dataclasses import dataclass

import torch


@dataclass
class Batch:
    coordinates: torch.Tensor
    owner: torch.Tensor
    molecules: int


def molecule_batches(count):
    generator = torch.Generator().manual_seed(31)
    for step in range(count):
        molecules = 3 + step
        sizes = torch.randint(3, 7, (molecules,), generator=generator)
        owner = torch.repeat_interleave(torch.arange(molecules), sizes)
        coordinates = torch.randn(int(sizes.sum()), 3, generator=generator)
        yield Batch(coordinates, owner, molecules)
