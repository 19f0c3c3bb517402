import torch
from torch import nn
import torch.nn.functional as F

from transforms import Standardize


def build():
    return nn.Sequential(
        Standardize([0.48, 0.45, 0.40], [0.22, 0.22, 0.23]),
        nn.Conv2d(3, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 4),
    )


def main():
    torch.manual_seed(9)
    net = build()
    fast = torch.compile(net, backend="aot_eager")
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    total = 0.0
    for step in range(8):
        images = torch.rand(4, 3, 32, 32)
        labels = torch.randint(0, 4, (4,))
        loss = F.cross_entropy(fast(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
