"""Cross-entropy of the student against the centered, sharpened teacher."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class DINOLoss(nn.Module):
    def __init__(self, out_dim, warmup_epochs=2, epochs=4, student_temp=0.1):
        super().__init__()
        self.student_temp = student_temp
        self.register_buffer("center", torch.zeros(1, out_dim))
        warm = np.linspace(0.04, 0.07, warmup_epochs)
        self.teacher_temp_schedule = np.concatenate((warm, np.ones(epochs - warmup_epochs) * 0.07))

    def forward(self, student_output, teacher_output, epoch, n_crops):
        student = (student_output / self.student_temp).chunk(n_crops)
        temp = self.teacher_temp_schedule[epoch]
        teacher = F.softmax((teacher_output - self.center) / temp, dim=-1).detach().chunk(2)
        total, terms = 0, 0
        for iq, q in enumerate(teacher):
            for iv, v in enumerate(student):
                if iq == iv:
                    continue
                total = total + torch.sum(-q * F.log_softmax(v, dim=-1), dim=-1).mean()
                terms += 1
        self.update_center(teacher_output)
        return total / terms

    @torch.no_grad()
    def update_center(self, teacher_output):
        self.center.mul_(0.9).add_(teacher_output.mean(0, keepdim=True), alpha=0.1)
