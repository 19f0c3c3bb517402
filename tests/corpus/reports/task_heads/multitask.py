import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self, dim, tasks):
        super().__init__()
        self.trunk = nn.Linear(dim, 16)
        self.heads = nn.ModuleList([nn.Linear(16, 1) for _ in range(tasks)])

    def encode(self, x):
        return torch.tanh(self.trunk(x))


def task_loss(model, h, y, tasks):
    """mean over the tasks that this batch has labels for"""
    losses = []
    for t in tasks:
        losses.append((model.heads[t](h)[:, 0] - y[:, t]).pow(2).mean())
    return torch.stack(losses).mean()
