"""The level of a reservoir with rain, outflow, season and demand."""

import numpy as np
import torch
from torch.utils.data import Dataset


def simulate(days: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    season = np.sin(2 * np.pi * np.arange(days) / 90)
    rain = rng.gamma(0.6, 1.0, days) * (1.2 + season)
    demand = 0.8 - 0.3 * season + 0.1 * rng.standard_normal(days)
    level = np.cumsum(rain - rain.mean() - (demand - demand.mean())) / 10
    table = np.stack([level, rain, demand, season], axis=1)
    return (table - table.mean(0)) / table.std(0)


class Windows(Dataset):
    def __init__(self, table: np.ndarray, window: int, horizon: int, stride: int = 3):
        self.table = torch.from_numpy(table).float()
        self.window, self.horizon, self.stride = window, horizon, stride

    def __len__(self) -> int:
        return (len(self.table) - self.window - self.horizon) // self.stride

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        start = index * self.stride
        middle = start + self.window
        return self.table[start:middle], self.table[middle : middle + self.horizon, 0]
