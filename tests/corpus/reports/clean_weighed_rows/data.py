import torch
from torch.utils.data import Dataset


class Spots(Dataset):
    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        self.x = torch.randn(count, 1, 8, 8, generator=generator)
        self.y = (self.x.mean((1, 2, 3)) > 0).long() + 2 * (self.x[:, 0, 0, 0] > 0).long()

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def padded(x, rows):
    """Fills up with zeros to a full batch."""
    missing = rows - x.shape[0]
    if missing == 0:
        return x
    return torch.cat([x, torch.zeros(missing, *x.shape[1:])])
