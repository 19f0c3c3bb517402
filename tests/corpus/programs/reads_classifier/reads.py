"""Simulated sequencing reads and the species they came from."""

import random

import torch
from torch.utils.data import Dataset

INDEX = {base: number for number, base in enumerate("ACGTN")}
BIAS = ([4, 2, 2, 4], [2, 4, 4, 2], [3, 3, 3, 3])


class Reads(Dataset):
    def __init__(self, count, shortest=30, longest=80, seed=0):
        chance = random.Random(seed)
        self.pairs = []
        for _ in range(count):
            species = chance.randrange(len(BIAS))
            length = chance.randint(shortest, longest)
            self.pairs.append((chance.choices("ACGT", BIAS[species], k=length), species))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, index):
        return self.pairs[index]


class ReadCollator:
    def __init__(self, pad="N"):
        self.pad = INDEX[pad]

    def __call__(self, pairs):
        reads, species = zip(*pairs, strict=True)
        width = max(map(len, reads))
        tokens = torch.full((len(reads), width), self.pad)
        for row, read in zip(tokens, reads, strict=True):
            row[: len(read)] = torch.tensor([INDEX[base] for base in read])
        return tokens, torch.tensor(species)
