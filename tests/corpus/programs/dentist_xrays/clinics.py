"""X-rays of teeth from two clinics, which keep their files in different ways."""

import random
from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class Visit:
    image: torch.Tensor
    decayed: torch.Tensor
    confidence: torch.Tensor
    turns: int


class Clinic:
    def __init__(self, seed, batch=6, size=8):
        self.draw = random.Random(seed)
        self.batch, self.size = batch, size

    def confidence(self):
        raise NotImplementedError

    def visit(self):
        image = torch.rand(self.batch, 1, self.size, self.size)
        decayed = (image.mean((1, 2, 3)) > 0.5).long()
        return Visit(image, decayed, self.confidence(), self.draw.randrange(4))


class Downtown(Clinic):
    def confidence(self):
        return 0.5 + torch.rand(self.batch) / 2


class Harbour(Clinic):
    """Dentists write down how sure they are in steps of a tenth."""

    def confidence(self):
        steps = np.array([self.draw.randrange(5, 11) for _ in range(self.batch)])
        return torch.from_numpy(steps / 10)
