"""Few labelled points and many that have none."""

from dataclasses import dataclass

import torch


@dataclass
class SemiBatch:
    labelled: torch.Tensor
    labels: torch.Tensor
    unlabelled: torch.Tensor


class TwoMoons:
    def __init__(self, labelled=8, unlabelled=16, steps=7, seed=0):
        self.sizes = labelled, unlabelled
        self.steps = steps
        self.generator = torch.Generator().manual_seed(seed)

    def _points(self, count):
        labels = torch.randint(0, 2, (count,), generator=self.generator)
        angle = torch.rand(count, generator=self.generator) * torch.pi
        x = torch.stack([angle.cos() + labels, angle.sin() * (1 - 2 * labels)], -1)
        return x + 0.1 * torch.randn(count, 2, generator=self.generator), labels

    def __iter__(self):
        for _ in range(self.steps):
            x, labels = self._points(self.sizes[0])
            more, _ = self._points(self.sizes[1])
            yield SemiBatch(x, labels, more)
