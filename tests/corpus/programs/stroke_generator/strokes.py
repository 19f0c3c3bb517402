"""Handwriting as offsets of a pen, and whether it was lifted."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, count=30, shortest=6, longest=14):
        generator = torch.Generator().manual_seed(3)
        lengths = torch.randint(shortest, longest, (count,), generator=generator)
        self.words = [torch.randn(int(n), 3, generator=generator) for n in lengths]
        for word in self.words:
            word[:, 2] = (word[:, 2] > 1).float()

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return self.words[index]


def collate(words):
    strokes = pad_sequence(words, batch_first=True)
    lengths = torch.tensor([len(word) for word in words])
    mask = torch.arange(strokes.shape[1]) < lengths[:, None]
    return {"strokes": strokes, "mask": mask.float()}


def pages(size):
    return DataLoader(Words(), batch_size=size, collate_fn=collate)
