from dataclasses import dataclass, field

import torch
from torch import nn

import lion


@dataclass
class JobConfig:
    steps: int = 4
    rate: float = 0.02
    widths: list = field(default_factory=lambda: [6, 10, 14, 18, 22, 26, 30])


class Tower(nn.Module):
    def __init__(self, widths):
        super().__init__()
        pairs = zip(widths[:-1], widths[1:])
        self.stages = nn.ModuleList(nn.Linear(a, b) for a, b in pairs)

    def forward(self, x):
        for stage in self.stages:
            x = torch.tanh(stage(x))
        return x


class TrainingJob:
    def __init__(self, config, report):
        torch.manual_seed(11)
        self.config = config
        self.report = report
        self.net = Tower(config.widths)
        self.rule = lion.SignMomentum(self.net.parameters(), config.rate)

    def run(self):
        x = torch.randn(16, self.config.widths[0])
        y = torch.randn(16, self.config.widths[-1]).clamp(-1, 1)
        loss = None
        for step in range(self.config.steps):
            loss = (self.net(x) - y).square().mean()
            loss.backward()
            self.rule.step()
            self.rule.clear()
            self.report(step, loss.item())
        return loss.item()
