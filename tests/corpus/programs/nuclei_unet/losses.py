"""Focal Tversky loss, after Abraham and Khan."""

import torch.nn as nn


class FocalTverskyLoss(nn.Module):
    def __init__(self, alpha=0.7, gamma=0.75, smooth=1.0):
        super().__init__()
        self.alpha, self.gamma, self.smooth = alpha, gamma, smooth

    def forward(self, logits, target):
        probs = logits.sigmoid()
        tp = (probs * target).sum((1, 2, 3))
        fn = ((1 - probs) * target).sum((1, 2, 3))
        fp = (probs * (1 - target)).sum((1, 2, 3))
        tversky = (tp + self.smooth) / (tp + self.alpha * fn + (1 - self.alpha) * fp + self.smooth)
        return ((1 - tversky) ** self.gamma).mean()
