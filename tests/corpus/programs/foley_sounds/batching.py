import random

import torch
from torch.nn.utils.rnn import pad_sequence


class Collator:
    """Pads the clips of a batch and draws what of it is masked, as SpecAugment does."""

    def __init__(self, max_time=8, max_bands=5, seed=0):
        self.max_time, self.max_bands = max_time, max_bands
        self.random = random.Random(seed)

    def stripe(self, size, most):
        width = self.random.randint(0, most)
        start = self.random.randint(0, size - width - 1)
        return start, start + width

    def __call__(self, rows):
        spec = pad_sequence([clip for clip, _ in rows], batch_first=True)
        labels = torch.tensor([label for _, label in rows])
        stripes = {
            "time": self.stripe(spec.shape[1], self.max_time),
            "band": self.stripe(spec.shape[2], self.max_bands),
        }
        return {"spec": spec, "labels": labels, "stripes": stripes}
