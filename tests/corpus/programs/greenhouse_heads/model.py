"""A trunk for all zones, and a head for each."""

import torch
from torch import nn
from zones import ZONES


class Humidity(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, width), nn.ELU(), nn.Linear(width, width), nn.ELU())
        self.heads = nn.ModuleDict({name: nn.Linear(width, 2) for name in ZONES})
        self.temperature = 2.0

    def forward(self, name, x):
        mean, spread = self.heads[name](self.trunk(x)).unbind(-1)
        return mean, nn.functional.softplus(spread) / self.temperature + 1e-3


class Uncertain(nn.Module):
    """A likelihood, and a penalty for jumps."""

    def __init__(self, jumps=0.5):
        super().__init__()
        self.jumps = jumps

    def terms(self, mean, spread, wanted):
        likely = (((wanted - mean) / spread).square() / 2 + spread.log()).mean()
        return {"likelihood": likely, "jumps": self.jumps * mean.diff().abs().mean()}

    def forward(self, mean, spread, wanted):
        return torch.stack(list(self.terms(mean, spread, wanted).values())).sum()
