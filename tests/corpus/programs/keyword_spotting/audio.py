"""Short recordings of spoken words as mel spectrograms."""

import torch
from torch.utils.data import Dataset


class Words(Dataset):
    def __init__(self, count, words=4, mels=8, frames=20, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, words, (count,), generator=generator)
        noise = torch.randn(count, mels, frames, generator=generator)
        self.spectrograms = noise + self.labels[:, None, None]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.spectrograms[index], self.labels[index]
