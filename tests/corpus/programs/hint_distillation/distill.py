"""What the student learns from the teacher."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass
class DistillConfig:
    temperature: float = 4.0
    final_temperature: float = 1.0
    soft_weight: float = 0.7
    hint_weight: float = 0.5
    hint_epochs: int = 2
    epochs: int = 4


class Distillation(nn.Module):
    def __init__(self, teacher, student, config):
        super().__init__()
        self.teacher, self.student, self.config = teacher.eval(), student, config
        self.adapt = nn.Linear(student.head.in_features, teacher.head.in_features)
        self.epoch = 0

    @property
    def temperature(self):
        done = self.epoch / self.config.epochs
        return self.config.temperature + done * (
            self.config.final_temperature - self.config.temperature
        )

    def forward(self, x, labels):
        with torch.no_grad():
            wanted, known = self.teacher(x)
        logits, features = self.student(x)
        t = self.temperature
        soft = functional.kl_div(
            (logits / t).log_softmax(1), (wanted / t).softmax(1), reduction="batchmean"
        )
        loss = functional.cross_entropy(logits, labels) + self.config.soft_weight * t * t * soft
        if self.epoch < self.config.hint_epochs:
            hint = functional.mse_loss(self.adapt(features), known)
            loss = loss + self.config.hint_weight * hint
        return loss
