import torch
from torch.utils.data import DataLoader, Dataset


class Brakes(Dataset):
    """Vibrations of tram brakes; worn ones rattle."""

    def __init__(self, rows, seed):
        g = torch.Generator().manual_seed(seed)
        self.worn = torch.randint(0, 2, (rows,), generator=g)
        self.x = torch.randn(rows, 30, generator=g) * (1 + 0.5 * self.worn[:, None])

    def __len__(self):
        return len(self.worn)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.worn[i]}


def get_dataloaders(cfg):
    train = DataLoader(
        Brakes(cfg.rows, cfg.seed), batch_size=cfg.batch_size, shuffle=True, drop_last=True
    )
    test = DataLoader(Brakes(2 * cfg.batch_size, 99), batch_size=cfg.batch_size)
    return train, test
