"""Utterances of a dictaphone, and batches of them."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class Utterances(Dataset):
    def __init__(self, count, bands=8, letters=9, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(count):
            text = torch.randint(1, letters, (int(torch.randint(2, 5, (), generator=generator)),))
            frames = 6 * len(text) + int(torch.randint(0, 9, (), generator=generator))
            self.items.append((torch.randn(frames, bands, generator=generator), text))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def collate(items):
    features, texts = zip(*items, strict=True)
    return {
        "features": pad_sequence(features, batch_first=True),
        "feature_lengths": torch.tensor([len(one) for one in features]),
        "targets": pad_sequence(texts, batch_first=True),
        "target_lengths": torch.tensor([len(one) for one in texts]),
    }
