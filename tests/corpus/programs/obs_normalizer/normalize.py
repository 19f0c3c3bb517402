"""Normalizes observations by what was seen so far."""

import torch
from torch import nn


class RunningMeanStd(nn.Module):
    def __init__(self, shape, epsilon=1e-4):
        super().__init__()
        self.register_buffer("mean", torch.zeros(shape))
        self.register_buffer("var", torch.ones(shape))
        self.count = epsilon

    def update(self, x):
        batch_mean, batch_var, batch_count = x.mean(0), x.var(0, correction=0), x.shape[0]
        delta = batch_mean - self.mean
        total = self.count + batch_count
        new_mean = self.mean + delta * (batch_count / total)
        m_a, m_b = self.var * self.count, batch_var * batch_count
        m_2 = m_a + m_b + delta.square() * (self.count * batch_count / total)
        self.mean.copy_(new_mean)
        self.var.copy_(m_2 / total)
        self.count = total

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.update(x)
        return (x - self.mean) / torch.sqrt(self.var + 1e-8)
