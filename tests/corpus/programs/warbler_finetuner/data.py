"""Spectrograms of songs, with clips of like loudness in one batch."""

import torch
from torch.utils.data import DataLoader, Dataset, Sampler


class Songs(Dataset):
    def __init__(self, count=45, bands=16, frames=20, species=5):
        self.loudness = torch.rand(count)
        self.spectrograms = torch.randn(count, bands, frames) * self.loudness.view(-1, 1, 1)
        self.species = torch.randint(0, species, (count,))

    def __len__(self):
        return len(self.species)

    def __getitem__(self, index):
        return {"spectrogram": self.spectrograms[index], "species": self.species[index]}


class LoudnessSampler(Sampler):
    """Batches of neighbours in loudness, in any order."""

    def __init__(self, loudness, batch_size):
        super().__init__()
        self.order = loudness.argsort().tolist()
        self.batch_size = batch_size

    def __len__(self):
        return -(-len(self.order) // self.batch_size)

    def __iter__(self):
        starts = torch.randperm(len(self)) * self.batch_size
        for start in starts.tolist():
            yield self.order[start : start + self.batch_size]


def song_loader(batch_size=8):
    songs = Songs()
    return DataLoader(songs, batch_sampler=LoudnessSampler(songs.loudness, batch_size))
