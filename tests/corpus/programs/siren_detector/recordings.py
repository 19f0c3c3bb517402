"""Street recordings of a quarter of a second, with and without a siren."""

import numpy as np
import torch

RATE, LENGTH = 4000, 1024


def clip(rng, siren):
    t = np.arange(LENGTH) / RATE
    noise = 0.4 * rng.standard_normal(LENGTH)
    if siren:
        noise += np.sin(2 * np.pi * (600 + 200 * np.sin(8 * t)) * t)
    return noise.astype(np.float32)


def add_reverb(wavs, rng, amount=0.3):
    """An echo of random delay, on some batches."""
    delay = int(rng.integers(40, 200))
    echo = np.zeros(wavs.shape)
    echo[:, delay:] = amount * wavs.numpy()[:, :-delay]
    return wavs + torch.from_numpy(echo)


class Recordings:
    def __init__(self, batches, batch_size, seed, augment=None):
        self.batches, self.batch_size = batches, batch_size
        self.seed, self.augment = seed, augment

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        for _ in range(self.batches):
            targets = rng.integers(0, 2, self.batch_size)
            wavs = torch.from_numpy(np.stack([clip(rng, label) for label in targets]))
            if self.augment is not None and rng.random() < 0.5:
                wavs = self.augment(wavs, rng)
            yield wavs, torch.from_numpy(targets).float()
