"""Which bands a network is easily misled by."""

import torch


class Sensitivity:
    """The mean size of the loss's gradient by each band."""

    def __init__(self, bands):
        self.total = torch.zeros(bands)
        self.batches = 0

    def watch(self, spectra):
        return spectra.requires_grad_()

    def gather(self, spectra):
        self.total += spectra.grad.abs().mean(0)
        self.batches += 1

    @property
    def mean(self):
        return self.total / max(self.batches, 1)
