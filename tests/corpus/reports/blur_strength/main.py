import torch
from torch import nn
import torch.nn.functional as F

from blur import RandomBlur


def main():
    torch.manual_seed(8)
    blur = RandomBlur()
    net = nn.Sequential(nn.Conv2d(3, 6, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 3))
    augment = torch.compile(blur, backend="aot_eager")
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    total = 0.0
    for step in range(12):
        images, labels = torch.rand(4, 3, 20, 20), torch.randint(0, 3, (4,))
        blur.sample()
        loss = F.cross_entropy(net(augment(images)), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
