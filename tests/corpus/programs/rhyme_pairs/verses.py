"""Lines of verse as phonemes, with the line each rhymes with."""

import torch


class Verses:
    def __init__(self, lines=60, phonemes=30, length=7, seed=1):
        generator = torch.Generator().manual_seed(seed)
        self.lines = torch.randint(0, phonemes, (lines, length), generator=generator)
        self.rhyme = self.lines.roll(1, 0).clone()
        self.rhyme[:, -2:] = self.lines[:, -2:]

    def batches(self, size, paired):
        """Yields lines and partners; before `paired`, each line is its own partner."""
        for lines, partners in zip(self.lines.split(size), self.rhyme.split(size), strict=True):
            yield (lines, partners) if paired else (lines, lines)
