"""Utterances of a few speakers, as frames of filter banks."""

from dataclasses import dataclass

import torch


@dataclass
class Utterance:
    frames: torch.Tensor
    speaker: int

    @property
    def voiced(self):
        return self.frames[: self.frames.shape[0] // 2 * 2]


class Collate:
    """Cuts all utterances of a batch to the shortest one."""

    def __init__(self, least=8):
        self.least = least

    def length(self, batch):
        return max(self.least, min(len(one.voiced) for one in batch))

    def __call__(self, batch):
        length = self.length(batch)
        frames = torch.stack([one.voiced[:length] for one in batch])
        return frames, torch.tensor([one.speaker for one in batch])


def utterances(count, speakers=4, bands=6, seed=1):
    generator = torch.Generator().manual_seed(seed)
    for index in range(count):
        length = int(torch.randint(12, 34, (), generator=generator))
        frames = torch.randn(length, bands, generator=generator) + index % speakers
        yield Utterance(frames, index % speakers)
