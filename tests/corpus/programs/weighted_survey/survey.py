"""Answers of a survey; two of its waves came with weights."""

from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, Dataset


@dataclass
class Wave:
    name: str
    rows: int
    weighted: bool


WAVES = [Wave("spring", 24, False), Wave("summer", 24, True), Wave("autumn", 20, True)]


class WaveDataset(Dataset):
    def __init__(self, wave, columns=9):
        self.wave = wave
        self.answers = torch.randn(wave.rows, columns)
        self.income = self.answers[:, :3].sum(1).exp().log1p()
        self.weight = 0.5 + torch.rand(wave.rows)

    def __len__(self):
        return self.wave.rows

    def __getitem__(self, index):
        row = {"answers": self.answers[index], "income": self.income[index]}
        if self.wave.weighted:
            row["weight"] = self.weight[index]
        return row


def loaders(batch):
    for wave in WAVES:
        yield wave.name, DataLoader(WaveDataset(wave), batch_size=batch, shuffle=True)
