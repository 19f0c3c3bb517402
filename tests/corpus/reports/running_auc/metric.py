import torch
from torch import nn


class PairwiseAccuracy(nn.Module):
    """share of pairs that are in the right order, over all updates"""

    def __init__(self):
        super().__init__()
        self.register_buffer("right", torch.zeros(()))
        self.register_buffer("pairs", torch.zeros(()))
        self.n_updates = 0

    def update(self, pred, target):
        self.n_updates += 1
        dp = pred[:, None] - pred[None, :]
        dt = target[:, None] - target[None, :]
        self.right += ((dp * dt) > 0).sum()
        self.pairs += (dt != 0).sum()

    def compute(self):
        if self.n_updates == 0:
            raise RuntimeError("compute() before the first update()")
        return (self.right / self.pairs).item()
