"""Segment scans: training reads volumes through transforms, validation slides a window."""
import torch
import torch.nn.functional as F
from torch import nn

from volumes import Volume, load_case


class Segmenter(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 2, 1))

    def forward(self, x):
        return self.body(x)


def windows(scan, size=16):
    plain = torch.as_tensor(scan.numpy())
    for left in range(0, plain.shape[-1], size):
        yield plain[..., left:left + size].contiguous()


def main():
    torch.manual_seed(8)
    net = Segmenter()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for epoch in range(3):
        for number in range(3):
            image, label = load_case(number)
            loss = F.cross_entropy(model(image), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scan, _ = load_case(7, width=64)
        found = sum(model(window).argmax(1).sum().item() for window in windows(scan))
        print(f"epoch {epoch} loss {float(loss):.4f} voxels {found}")


if __name__ == "__main__":
    main()
