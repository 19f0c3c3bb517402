"""Calls of swallows: each syllable is a sweep through some mel bands."""

import random

import torch
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS = 0, 1, 2


class SwallowCalls(Dataset):
    def __init__(self, hparams):
        self.items = []
        generator = torch.Generator().manual_seed(hparams["seed"])
        syllables = torch.randn(hparams["n_tokens"], hparams["n_mels"], generator=generator)
        for number in range(hparams["utterances"]):
            # as they were cut: first the short ones
            length = 2 + 3 * number // hparams["utterances"]
            call = torch.randint(3, hparams["n_tokens"], (length,), generator=generator)
            spans = torch.arange(hparams["frames"]) * length // hparams["frames"]
            mels = syllables[call[spans]]
            mels = mels + 0.2 * torch.randn(mels.shape, generator=generator)
            self.items.append((mels, call))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def spec_augment(mels, max_width=6):
    """Mask a stretch of frames and some bands, of another width each time."""
    width = random.randint(1, max_width)
    begin = random.randrange(mels.size(1) - width)
    mels = mels.clone()
    mels[:, begin : begin + width] = 0
    mels[:, :, random.randrange(mels.size(2))] = 0
    return mels


def collate(batch):
    mels = torch.stack([mel for mel, _ in batch])
    longest = max(len(call) for _, call in batch) + 1
    tokens = torch.full((len(batch), longest), PAD)
    for row, (_, call) in zip(tokens, batch, strict=True):
        row[: len(call)] = call
        row[len(call)] = EOS
    return mels, tokens


def make_loader(hparams):
    return DataLoader(SwallowCalls(hparams), hparams["batch_size"], collate_fn=collate)
