"""Harp music: pitches of notes, in pieces of any length."""

import torch

MULTIPLE = 4
REST = 0


def pieces(count, generator):
    for _ in range(count):
        length = int(torch.randint(9, 41, (), generator=generator))
        steps = torch.randint(-2, 3, (length,), generator=generator)
        yield (20 + steps.cumsum(0)).clamp(1, 40)


def collated(chosen):
    longest = max(len(piece) for piece in chosen)
    longest = -(-longest // MULTIPLE) * MULTIPLE
    batch = torch.full((len(chosen), longest), REST)
    for row, piece in zip(batch, chosen, strict=True):
        row[: len(piece)] = piece
    return batch


def batches(count, size=4, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        yield collated(list(pieces(size, generator)))
