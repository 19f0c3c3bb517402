import torch
from torch.utils.data import DataLoader, Dataset


class Acorns(Dataset):
    """Outlines of acorns from six kinds of oak."""

    def __init__(self, count, size, split):
        g = torch.Generator().manual_seed({"train": 0, "validation": 1}[split])
        self.kind = torch.randint(0, 6, (count,), generator=g)
        rows = torch.linspace(-1, 1, size)
        radius = rows[:, None] ** 2 + rows[None, :] ** 2 * (0.6 + 0.2 * self.kind.view(-1, 1, 1))
        noise = 0.1 * torch.randn(count, 3, size, size, generator=g)
        self.image = (radius < 0.7).float().unsqueeze(1) + noise

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, index):
        return self.image[index], self.kind[index]


def create_loader(dataset, batch_size, is_training):
    return DataLoader(dataset, batch_size, shuffle=is_training, drop_last=is_training)
