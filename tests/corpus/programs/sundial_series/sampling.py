import math

import torch


class InverseSigmoid:
    """Scheduled sampling (Bengio et al., 2015)."""

    def __init__(self, k: float = 8.0, seed: int = 0):
        self.k, self.updates = k, 0
        self.generator = torch.Generator().manual_seed(seed)

    @property
    def truth(self) -> float:
        return self.k / (self.k + math.exp(self.updates / self.k))

    def mask(self, shape: tuple) -> torch.Tensor:
        self.updates += 1
        return torch.rand(shape, generator=self.generator) > self.truth
