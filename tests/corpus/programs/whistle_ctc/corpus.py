"""Synthetic recordings of a whistled language: a contour for each letter."""

import torch
from torch.utils.data import Dataset

LETTERS = "-aeioklmst"


class Whistles(Dataset):
    def __init__(self, count, n_mels=20, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.rows = []
        bins = torch.arange(n_mels, dtype=torch.float32)
        for _ in range(count):
            letters = torch.randint(1, len(LETTERS), (int(torch.randint(2, 7, (), generator=g)),))
            frames = []
            for letter in letters:
                held = int(torch.randint(5, 9, (), generator=g))
                pitch = 2.0 * letter + torch.linspace(0, 1, held)
                frames.append(torch.exp(-((bins[None] - pitch[:, None]) ** 2) / 4))
            mel = torch.cat(frames)
            self.rows.append((mel + 0.05 * torch.randn(mel.shape, generator=g), letters))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def collate(rows):
    """Sorted by length, longest first, as the packed loss of old wanted it."""
    rows = sorted(rows, key=lambda row: len(row[0]), reverse=True)
    lengths = torch.tensor([len(mel) for mel, _ in rows])
    mels = torch.nn.utils.rnn.pad_sequence([mel for mel, _ in rows], batch_first=True)
    target_lengths = torch.tensor([len(letters) for _, letters in rows])
    return mels, lengths, torch.cat([letters for _, letters in rows]), target_lengths
