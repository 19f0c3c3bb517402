"""Windows of a repeating text, as one tensor of character numbers."""

import torch
from torch.utils.data import DataLoader, TensorDataset

TEXT = "the quick brown fox jumps over the lazy dog. " * 12
ALPHABET = sorted(set(TEXT))
WINDOW = 16


def make_loader(batch_size):
    codes = torch.tensor([ALPHABET.index(character) for character in TEXT])
    starts = torch.arange(0, 44 * 8, 8)
    windows = torch.stack([codes[start : start + WINDOW + 1] for start in starts])
    dataset = TensorDataset(windows[:, :-1], windows[:, 1:])
    return DataLoader(dataset, batch_size=batch_size, shuffle=True)
