"""Dictated words: frames of sound, and the letters that were said."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

ALPHABET = 7  # 0 is the blank


class Dictation(Dataset):
    def __init__(self, count, bands=6, seed=6):
        generator = torch.Generator().manual_seed(seed)
        shapes = torch.randn(ALPHABET, bands, generator=generator)
        self.said = []
        for _ in range(count):
            letters = torch.randint(1, ALPHABET, (5,), generator=generator)
            pause = int(torch.randint(0, 12, (), generator=generator))
            frames = shapes[letters].repeat_interleave(4, 0)
            frames = torch.cat([frames, torch.zeros(pause, bands)])
            noise = 0.2 * torch.randn(frames.shape, generator=generator)
            self.said.append((frames + noise, letters))

    def __len__(self):
        return len(self.said)

    def __getitem__(self, index):
        return self.said[index]


def collate(said):
    sounds, letters = zip(*said, strict=True)
    frames = torch.tensor([len(sound) for sound in sounds])
    sounds = pad_sequence(sounds, batch_first=True)
    return sounds, torch.stack(letters), frames


def batches(count=24, batch=4):
    return DataLoader(Dictation(count), batch, shuffle=True, collate_fn=collate)
