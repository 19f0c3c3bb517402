"""Regresses income on the answers."""

import torch
from torch import nn


class IncomeModel(nn.Module):
    def __init__(self, columns=9, width=24):
        super().__init__()
        self.norm = nn.LayerNorm(columns)
        self.body = nn.Sequential(nn.Linear(columns, width), nn.Mish(), nn.Linear(width, 1))

    def forward(self, batch):
        predicted = self.body(self.norm(batch["answers"])).squeeze(-1)
        error = (predicted - batch["income"]).square()
        if "weight" in batch:
            error = error * batch["weight"]
        return {"loss": error.mean(), "predicted": predicted}


def weighted_mean(values):
    return torch.stack(list(values)).mean()
