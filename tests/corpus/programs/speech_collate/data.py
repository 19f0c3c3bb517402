"""Spectrogram frames of utterances that last 20 to 60 frames."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Utterances(Dataset):
    def __init__(self, count=48):
        generator = torch.Generator().manual_seed(5)
        lengths = torch.randint(20, 60, (count,), generator=generator).tolist()
        self.items = [(torch.randn(n, 10, generator=generator), n % 4) for n in lengths]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def collate(items):
    frames = pad_sequence([frames for frames, _ in items], batch_first=True)
    return frames, torch.tensor([label for _, label in items])


def make_loader():
    return DataLoader(Utterances(), batch_size=8, shuffle=True, drop_last=True, collate_fn=collate)
