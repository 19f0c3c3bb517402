import torch
from torch import nn


def drop_path(x, drop_prob: float = 0.0, training: bool = False, scale_by_keep: bool = True):
    """Drop paths (Stochastic Depth) per sample."""
    if drop_prob == 0.0 or not training:
        return x
    keep_prob = 1 - drop_prob
    random_tensor = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep_prob)
    if keep_prob > 0.0 and scale_by_keep:
        random_tensor.div_(keep_prob)
    return x * random_tensor


class DropPath(nn.Module):
    def __init__(self, drop_prob: float = 0.0):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        return drop_path(x, self.drop_prob, self.training)


class LayerScale(nn.Module):
    def __init__(self, dim: int, init_values: float = 0.1):
        super().__init__()
        self.gamma = nn.Parameter(init_values * torch.ones(dim))

    def forward(self, x):
        return x * self.gamma


class Mixup:
    """Mixes pictures and one-hot targets; may be switched off for the last epochs."""

    def __init__(self, alpha: float, num_classes: int, label_smoothing: float = 0.1):
        self.alpha, self.num_classes, self.label_smoothing = alpha, num_classes, label_smoothing
        self.mixup_enabled = True

    def __call__(self, x, target):
        lam = 1.0
        if self.mixup_enabled:
            lam = float(torch.distributions.Beta(self.alpha, self.alpha).sample())
        off = self.label_smoothing / self.num_classes
        hot = torch.full((len(target), self.num_classes), off)
        hot.scatter_(1, target[:, None], 1.0 - self.label_smoothing + off)
        return x * lam + x.flip(0) * (1 - lam), hot * lam + hot.flip(0) * (1 - lam)
