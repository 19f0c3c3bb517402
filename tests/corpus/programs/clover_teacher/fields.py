import torch
from torch.utils.data import DataLoader, Dataset


class Fields(Dataset):
    def __init__(self, count, labeled, size=14, seed=0):
        g = torch.Generator().manual_seed(seed)
        coarse = torch.randint(0, 3, (count, size // 2, size // 2), generator=g)
        self.masks = coarse.repeat_interleave(2, 1).repeat_interleave(2, 2)
        self.images = torch.randn(count, 3, size, size, generator=g)
        self.images += 1.5 * torch.nn.functional.one_hot(self.masks, 3).permute(0, 3, 1, 2)
        self.labeled = labeled

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        if self.labeled:
            return self.images[index], self.masks[index]
        return self.images[index]


def endless(loader):
    while True:
        yield from loader


def loaders(batch_size):
    labeled = DataLoader(Fields(21, True), batch_size, shuffle=True, drop_last=True)
    unlabeled = DataLoader(Fields(34, False, seed=1), batch_size, shuffle=True, drop_last=True)
    valid = DataLoader(Fields(10, True, seed=2), batch_size)
    return labeled, unlabeled, valid
