import torch
from torch.utils.data import DataLoader, Dataset


class Polyps(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.frames = torch.rand(n, 3, 16, 16, generator=g)
        self.stage = torch.randint(0, 3, (n,), generator=g)
        self.frames[:, 2] += self.stage[:, None, None] * 0.4

    def __len__(self):
        return len(self.stage)

    def __getitem__(self, i):
        return self.frames[i], self.stage[i]


def loaders(batch_size):
    train = DataLoader(Polyps(40, 1), batch_size, shuffle=True, drop_last=True)
    valid = DataLoader(Polyps(20, 2), batch_size)
    return train, valid
