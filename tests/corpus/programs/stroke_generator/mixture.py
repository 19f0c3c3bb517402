"""A mixture of Gaussians for the next offset."""

import math

import torch
from torch import nn
from torch.nn import functional


class NextStroke(nn.Module):
    def __init__(self, width=16, parts=3, window=3):
        super().__init__()
        self.parts, self.window = parts, window
        self.past = nn.Conv1d(3, width, window)
        self.heads = nn.ModuleDict(
            {
                "weight": nn.Linear(width, parts),
                "mean": nn.Linear(width, 2 * parts),
                "spread": nn.Linear(width, parts),
                "lift": nn.Linear(width, 1),
            }
        )

    def forward(self, strokes):
        seen = functional.pad(strokes.transpose(1, 2), (self.window - 1, 0))
        hidden = torch.tanh(self.past(seen)).transpose(1, 2)
        return {name: head(hidden) for name, head in self.heads.items()}


def negative_log_likelihood(heads, target, mask, floor):
    log_spread = heads["spread"].clamp(min=floor)
    mean = heads["mean"].unflatten(-1, (-1, 2))
    square = (target[..., None, :2] - mean).square().sum(-1)
    log_part = -0.5 * square * (-2 * log_spread).exp() - 2 * log_spread - math.log(2 * math.pi)
    log_mixed = torch.logsumexp(heads["weight"].log_softmax(-1) + log_part, -1)
    lift = functional.binary_cross_entropy_with_logits(
        heads["lift"].squeeze(-1), target[..., 2], reduction="none"
    )
    return ((lift - log_mixed) * mask).sum() / mask.sum()
