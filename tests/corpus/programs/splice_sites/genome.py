"""Pieces of DNA with donor sites (GT after the right context); most positions are neither."""

import numpy as np
import torch

BASES = "ACGT"


def one_hot(text):
    return np.eye(4, dtype=np.float32)[[BASES.index(base) for base in text]]


def piece(rng, length):
    text = "".join(rng.choice(list(BASES), length))
    labels = np.full(length, -1, dtype=np.int64)
    at = text.find("GT")
    while at >= 0:
        labels[at] = int(text[max(0, at - 1)] == "G")
        at = text.find("GT", at + 1)
    return one_hot(text), labels


class Pieces:
    def __init__(self, batch, length, seed):
        self.batch, self.length = batch, length
        self.rng = np.random.default_rng(seed)

    def draw(self):
        rows = [piece(self.rng, self.length) for _ in range(self.batch)]
        dna, labels = zip(*rows, strict=True)
        return torch.from_numpy(np.stack(dna)), torch.from_numpy(np.stack(labels))
