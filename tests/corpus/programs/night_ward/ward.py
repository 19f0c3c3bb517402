"""Vital signs of a ward through a night."""

import torch


class Batched:
    """Tensors of one length, cut into batches."""

    batch = 8
    vitals: torch.Tensor
    scores: torch.Tensor

    def __len__(self):
        return len(self.vitals)

    def __iter__(self):
        yield from zip(self.vitals.split(self.batch), self.scores.split(self.batch), strict=True)


class Night(Batched):
    def __init__(self, patients=41, hours=10, signs=3, seed=7):
        generator = torch.Generator().manual_seed(seed)
        drift = 0.1 * torch.randn(patients, 1, signs, generator=generator)
        steps = drift + 0.2 * torch.randn(patients, hours, signs, generator=generator)
        self.vitals = steps.cumsum(1)
        self.scores = torch.sigmoid(self.vitals[:, -1].sum(1))
