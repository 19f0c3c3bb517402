import torch
import torch.nn.functional as F
from nets import Regressor
from torch import nn


class HintGate:
    """Lets the gradient of the hint into the trunk, stage by stage."""

    STRENGTHS = (0.1, 0.3, 0.6, 1.0)

    def __init__(self):
        self.stage = 0

    def advance(self):
        self.stage = min(self.stage + 1, len(self.STRENGTHS) - 1)

    def __call__(self, grad):
        return grad * self.STRENGTHS[self.stage]


class Distiller(nn.Module):
    def __init__(self, student, teacher, temperature=4.0, alpha=0.7, beta=0.2):
        super().__init__()
        self.student, self.teacher = student, teacher
        self.teacher.requires_grad_(False).eval()
        self.regressor = Regressor(student.out_channels, teacher.out_channels)
        self.temperature, self.alpha, self.beta = temperature, alpha, beta
        self.gate = HintGate()

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def soft_targets(self, logits, wanted):
        t = self.temperature
        log_p, q = F.log_softmax(logits / t, 1), F.softmax(wanted / t, 1)
        return F.kl_div(log_p, q, reduction="batchmean") * t * t

    def forward(self, images, labels):
        with torch.no_grad():
            wanted, teacher_map = self.teacher(images)
        logits, student_map = self.student(images)
        guess = self.regressor(student_map)
        guess.register_hook(self.gate)
        return {
            "ce": (1 - self.alpha) * F.cross_entropy(logits, labels),
            "kd": self.alpha * self.soft_targets(logits, wanted),
            "hint": self.beta * F.mse_loss(guess, teacher_map),
        }
