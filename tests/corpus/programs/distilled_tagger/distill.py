"""Hinton's distillation loss."""

import torch.nn.functional as F


def kd_loss(student_logits, teacher_logits, tags, temperature, alpha=0.5):
    soft = F.kl_div(
        F.log_softmax(student_logits / temperature, dim=-1),
        F.softmax(teacher_logits / temperature, dim=-1),
        reduction="batchmean",
    )
    hard = F.cross_entropy(student_logits.flatten(0, 1), tags.flatten())
    return alpha * temperature**2 * soft + (1 - alpha) * hard


class TemperatureSchedule:
    """Falls geometrically from `start` to `end`."""

    def __init__(self, start=8.0, end=1.0, epochs=4):
        self.start, self.ratio = start, (end / start) ** (1 / max(1, epochs - 1))

    def at(self, epoch):
        return self.start * self.ratio**epoch
