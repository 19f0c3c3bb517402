"""Windows of chains, and which of their residues touch."""

import torch
from torch.utils.data import Dataset


class Windows(Dataset):
    def __init__(self, count, length=10):
        generator = torch.Generator().manual_seed(6)
        steps = torch.randn(count, length, 3, generator=generator)
        self.chains = torch.randint(0, 21, (count, length), generator=generator)
        self.contacts = (torch.cdist(steps.cumsum(1), steps.cumsum(1)) < 2.5).float()

    def __len__(self):
        return len(self.chains)

    def __getitem__(self, index):
        return self.chains[index], self.contacts[index]
