import torch
import torch.nn as nn
import torch.nn.functional as F


class FocalLoss(nn.Module):
    """Focal loss for many labels at once."""

    def __init__(self, gamma=0.0, alpha=0.6):
        super().__init__()
        self.gamma = gamma
        self.alpha = alpha

    def forward(self, logits, targets):
        bce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        pt = torch.exp(-bce)
        weight = self.alpha * targets + (1 - self.alpha) * (1 - targets)
        return (weight * (1 - pt) ** self.gamma * bce).mean()


def macro_f1(logits, targets, eps=1e-6):
    guess = (logits > 0).float()
    hit = (guess * targets).sum(0)
    return (2 * hit / (guess.sum(0) + targets.sum(0) + eps)).mean()
