"""Spoken commands as log-mel features of different durations."""

import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

COMMANDS = ["yes", "no", "up", "down", "stop", "go"]
N_MELS = 20


class SpeechCommands(Dataset):
    def __init__(self, size=48, seed=0):
        self.rng = random.Random(seed)
        self.items = [self._record(i) for i in range(size)]

    def _record(self, index):
        label = index % len(COMMANDS)
        frames = self.rng.randint(30, 60)
        g = torch.Generator().manual_seed(index)
        return torch.randn(frames, N_MELS, generator=g) + 0.2 * label, label

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def collate_fn(batch):
    features = pad_sequence([mel for mel, _ in batch], batch_first=True)
    labels = torch.tensor([label for _, label in batch])
    return features.transpose(1, 2), labels


def get_loader(batch_size=8):
    return DataLoader(
        SpeechCommands(), batch_size=batch_size, shuffle=True, drop_last=True, collate_fn=collate_fn
    )
