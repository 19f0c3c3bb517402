"""Self-distillation between crops."""

import copy

import torch
from settings import TEMPERATURES
from torch import nn
from torch.nn import functional


def backbone(size=12, out=6):
    return nn.Sequential(
        nn.Conv1d(2, 8, 3), nn.GELU(), nn.Flatten(), nn.Linear(8 * (size - 2), out)
    )


class Dino(nn.Module):
    def __init__(self):
        super().__init__()
        self.student = backbone()
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)
        self.register_buffer("center", torch.zeros(6))

    def forward(self, crops):
        targets = []
        for crop in crops[:2]:
            sharp = (self.teacher(crop) - self.center) / TEMPERATURES["teacher"]
            targets.append(functional.softmax(sharp, -1))
        total = 0.0
        for crop in crops:
            logits = self.student(crop) / TEMPERATURES["student"]
            for target in targets:
                total = total + functional.cross_entropy(logits, target)
        return total / (len(crops) * len(targets))

    @torch.no_grad()
    def follow(self, momentum=0.97):
        pairs = zip(self.teacher.parameters(), self.student.parameters(), strict=True)
        for slow, fast in pairs:
            slow.lerp_(fast, 1 - momentum)
