"""Utterances of different lengths."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate(utterances):
    frames = pad_sequence([frames for frames, _ in utterances], batch_first=True)
    return frames, torch.tensor([label for _, label in utterances])


def utterances():
    generator = torch.Generator().manual_seed(2)
    lengths = torch.randint(9, 30, (24,), generator=generator).tolist()
    return [(torch.randn(n, 5, generator=generator), n % 3) for n in lengths]


def loader():
    return DataLoader(utterances(), batch_size=4, collate_fn=collate, shuffle=True)
