"""Quarter-hourly readings of smart meters."""

import torch
from torch.utils.data import DataLoader, Dataset


class MeterDataset(Dataset):
    def __init__(self, rows: int, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.history = torch.randn(rows, 24, generator=generator)
        self.weather = torch.randn(rows, 4, generator=generator)
        self.load = self.history[:, -4:].mean(1) + 0.5 * self.weather[:, 0]

    def __len__(self) -> int:
        return len(self.load)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"history": self.history[i], "weather": self.weather[i], "load": self.load[i]}


def build_dataloaders(cfg) -> tuple[DataLoader, DataLoader]:
    train_ds = MeterDataset(cfg.data_rows, seed=cfg.seed)
    val_ds = MeterDataset(2 * cfg.batch_size, seed=cfg.seed + 1)
    train_dl = DataLoader(
        train_ds, batch_size=cfg.batch_size, shuffle=True, num_workers=cfg.num_workers
    )
    val_dl = DataLoader(val_ds, batch_size=cfg.batch_size, num_workers=cfg.num_workers)
    return train_dl, val_dl
