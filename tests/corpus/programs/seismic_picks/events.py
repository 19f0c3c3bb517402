"""Synthetic three-component records with a P arrival, from one station or several."""

import numpy as np
import torch

RATE = 50  # Hz
SECONDS = 2


class Events:
    def __init__(self, count, seed=0):
        rng = np.random.default_rng(seed)
        samples = RATE * SECONDS
        onset = rng.integers(samples // 5, samples // 2, count)
        time = np.arange(samples)
        after = (time[None] >= onset[:, None]).astype(np.float32)
        decay = np.exp(-0.05 * np.maximum(time[None] - onset[:, None], 0))
        wave = after * decay * np.sin(0.9 * time)[None]
        noise = 0.2 * rng.standard_normal((count, 3, samples))
        self.waves = (wave[:, None] * rng.uniform(0.4, 1, (count, 3, 1)) + noise).astype(np.float32)
        width = (time[None] - onset[:, None]) / 3.0
        self.targets = np.exp(-(width**2)).astype(np.float32)
        # A fifth of the catalogue has gaps in transmission.
        self.gappy = rng.random(count) < 0.2
        self.gaps = rng.integers(0, samples - 20, count)

    def __len__(self):
        return len(self.waves)


def collate(events, index):
    waves = torch.from_numpy(events.waves[index])
    targets = torch.from_numpy(events.targets[index])
    mask = None
    if events.gappy[index].any():
        mask = torch.ones_like(targets)
        for row, i in enumerate(index):
            if events.gappy[i]:
                mask[row, events.gaps[i] : events.gaps[i] + 20] = 0
    return waves, targets, mask


def batches(events, size, rng):
    order = rng.permutation(len(events))
    for at in range(0, len(order) - size + 1, size):
        yield collate(events, order[at : at + size])
