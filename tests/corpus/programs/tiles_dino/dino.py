import torch
import torch.nn.functional as F
from torch import nn


def cross_entropy_of_views(student, teacher, center, student_temp, teacher_temp):
    """student: (views, B, K); teacher: (2, B, K). A view is not compared with itself."""
    targets = F.softmax((teacher - center) / teacher_temp, dim=-1)
    logp = F.log_softmax(student / student_temp, dim=-1)
    pairs = -torch.einsum("tbk,sbk->ts", targets, logp) / student.shape[1]
    other = 1 - torch.eye(2, student.shape[0])
    return (pairs * other).sum() / other.sum()


class DINOLoss(nn.Module):
    def __init__(
        self,
        out_dim,
        warmup_teacher_temp,
        teacher_temp,
        warmup_epochs,
        nepochs,
        momentum=0.9,
    ):
        super().__init__()
        self.student_temp = 0.1
        self.center_momentum = momentum
        self.register_buffer("center", torch.zeros(1, out_dim))
        warm = torch.linspace(warmup_teacher_temp, teacher_temp, warmup_epochs).tolist()
        self.teacher_temp_schedule = warm + [teacher_temp] * (nepochs - warmup_epochs)

    def forward(self, student_output, teacher_output, epoch):
        temp = self.teacher_temp_schedule[epoch]
        student, teacher = torch.stack(student_output), torch.stack(teacher_output).detach()
        loss = cross_entropy_of_views(student, teacher, self.center, self.student_temp, temp)
        self.update_center(teacher)
        return loss

    @torch.no_grad()
    def update_center(self, teacher):
        m = self.center_momentum
        self.center.mul_(m).add_(teacher.mean((0, 1)), alpha=1 - m)


def cancel_gradients_last_layer(epoch, model, freeze_last_layer):
    if epoch >= freeze_last_layer:
        return
    for n, p in model.named_parameters():
        if "last_layer" in n:
            p.grad = None
