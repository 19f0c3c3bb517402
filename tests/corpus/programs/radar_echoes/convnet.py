"""1d conv net over radar echoes: bird, drone, rain or nothing."""

import torch
from torch import nn

CLASSES = ["bird", "drone", "rain", "nothing"]


def conv_bn(cin, cout, stride):
    return nn.Sequential(
        nn.Conv1d(cin, cout, 5, stride, padding=2, bias=False), nn.BatchNorm1d(cout), nn.ReLU()
    )


class EchoNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = conv_bn(2, width, 2)
        self.body = nn.Sequential(conv_bn(width, 2 * width, 2), conv_bn(2 * width, 2 * width, 1))
        self.head = nn.Linear(2 * width, len(CLASSES))

    def forward(self, x):
        return self.head(self.body(self.stem(x)).mean(-1))


def echoes(n, gen):
    y = torch.randint(0, len(CLASSES), (n,), generator=gen)
    t = torch.linspace(0, 6.28, 48)
    phase = t * (1 + 2 * y[:, None]) + torch.rand(n, 1, generator=gen)
    x = torch.stack([phase.sin(), phase.cos()], 1) * (y != 3)[:, None, None]
    return x + 0.3 * torch.randn(x.shape, generator=gen), y
