import torch
import torch.nn.functional as F
from torch import nn


def fake_quant(w):
    scale = w.abs().amax() / 7
    return w + ((w / scale).round() * scale - w).detach()


class RecurrentNet(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inp, self.core, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, passes, quant):
        h = self.inp(x)
        w = fake_quant(self.core.weight) if quant else self.core.weight
        for _ in range(passes):
            h = h + torch.tanh(F.linear(h, w, self.core.bias))
        return self.out(h)
