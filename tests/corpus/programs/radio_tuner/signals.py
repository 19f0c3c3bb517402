"""Recordings of a radio band, as they come out of files."""

import numpy as np

KINDS = ("am", "fm", "noise")


def recording(kind, samples=128, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / samples
    tone = np.sin(2 * np.pi * 3 * t)
    carrier = {
        "am": (1 + 0.7 * tone) * np.cos(2 * np.pi * 30 * t),
        "fm": np.cos(2 * np.pi * 30 * t + 4 * tone),
        "noise": rng.standard_normal(samples),
    }[kind]
    return carrier + 0.1 * rng.standard_normal(samples)


class Archive:
    """Every third block was saved by the new logger, in single precision."""

    def __init__(self, blocks, size):
        self.blocks, self.size = blocks, size

    def __getitem__(self, index):
        if index >= self.blocks:
            raise IndexError(index)
        labels = np.random.default_rng(index).integers(len(KINDS), size=self.size)
        rows = np.stack([recording(KINDS[k], seed=index * 99 + n) for n, k in enumerate(labels)])
        return (rows.astype(np.float32) if index % 3 == 0 else rows), labels
