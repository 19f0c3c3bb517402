"""Strikes of church bells as sequences of spectra."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class Peals(Dataset):
    """Each peal is a change that is rung on six bells, in a number of strikes."""

    def __init__(self, size, bands=8, changes=5, max_strikes=14, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.max_strikes = max_strikes
        self.items = []
        for _ in range(size):
            change = int(torch.randint(0, changes, (1,), generator=g))
            full = float(torch.rand((), generator=g)) < 0.8
            strikes = max_strikes if full else int(torch.randint(6, max_strikes, (1,), generator=g))
            spectra = torch.randn(strikes, bands, generator=g)
            spectra[::2, change] += 1.5
            self.items.append((spectra, change))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Collater:
    def __init__(self, max_strikes):
        self.max_strikes = max_strikes

    def __call__(self, samples):
        spectra, changes = zip(*samples, strict=True)
        lengths = torch.tensor([len(one) for one in spectra])
        if bool((lengths == self.max_strikes).all()):
            padded = torch.stack(spectra)
            mask = torch.ones(padded.shape[:2])
        else:
            filler = torch.zeros(self.max_strikes, spectra[0].shape[1])
            padded = pad_sequence([*spectra, filler], batch_first=True)[:-1]
            mask = torch.arange(self.max_strikes) < lengths[:, None]
        return {"spectra": padded, "mask": mask, "change": torch.tensor(changes)}
