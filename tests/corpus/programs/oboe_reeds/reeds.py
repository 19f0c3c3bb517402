"""How an oboe's pitch drifts while a reed warms up."""

import torch


class Session:
    """Sittings of a few phrases, each sitting with a fresh reed."""

    def __init__(self, sittings, phrases, batch=6, seed=0):
        self.sittings, self.phrases, self.batch = sittings, phrases, batch
        self.generator = torch.Generator().manual_seed(seed)

    def phrase(self, length):
        breath = torch.rand(self.batch, length, 3, generator=self.generator)
        return breath, breath[..., 0].cumsum(1) / length

    def __iter__(self):
        for number in range(self.sittings * self.phrases):
            yield number % self.phrases == 0, *self.phrase(4 if number % 4 else 6)
