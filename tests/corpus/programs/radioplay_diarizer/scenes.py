"""Mixtures of two speakers, as log-mel features with the activity of each frame."""

from __future__ import annotations

import random
from collections.abc import Iterator

import torch
from torch import Tensor

N_MELS = 20


class Scenes:
    def __init__(self, count: int, min_frames: int, max_frames: int, seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        self.items: list[tuple[Tensor, Tensor]] = []
        voices = torch.randn(6, N_MELS, generator=g)
        for _ in range(count):
            frames = int(torch.randint(min_frames, max_frames + 1, (), generator=g))
            who = torch.randperm(len(voices), generator=g)[:2]
            switches = torch.rand(frames, 2, generator=g) < 0.2
            active = (switches.cumsum(0) % 2).float()
            feats = active @ voices[who] + 0.3 * torch.randn(frames, N_MELS, generator=g)
            self.items.append((feats, active))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.items[index]


class BucketSampler:
    """Batches of scenes of about the same duration, in random order."""

    def __init__(self, scenes: Scenes, batch_size: int, seed: int = 0) -> None:
        by_length = sorted(range(len(scenes)), key=lambda i: len(scenes[i][0]))
        whole = len(by_length) - len(by_length) % batch_size
        self.batches = [by_length[i : i + batch_size] for i in range(0, whole, batch_size)]
        self.rng = random.Random(seed)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[list[int]]:
        order = list(self.batches)
        self.rng.shuffle(order)
        return iter(order)


def collate(batch: list[tuple[Tensor, Tensor]]) -> dict[str, Tensor]:
    lengths = torch.tensor([len(feats) for feats, _ in batch])
    frames = int(lengths.max())
    feats = torch.zeros(len(batch), frames, N_MELS)
    labels = torch.zeros(len(batch), frames, 2)
    for row, (x, y) in enumerate(batch):
        feats[row, : len(x)] = x
        labels[row, : len(y)] = y
    mask = torch.arange(frames)[None] < lengths[:, None]
    return {"feats": feats, "labels": labels, "mask": mask.float()}
