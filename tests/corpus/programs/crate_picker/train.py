"""Trains a one-stage detector on the belt's camera."""

import torch
from belt import Belt, collate
from criterion import DetectionLoss
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader


class Detector(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1),
            nn.SiLU(),
            nn.Conv2d(width, width, 3, stride=2, padding=1),
            nn.SiLU(),
        )
        self.head = nn.Conv2d(width, 5, 1)

    def forward(self, images):
        out = self.head(self.backbone(images)).permute(0, 2, 3, 1)
        return out[..., 0], out[..., 1:].sigmoid()


def main():
    torch.manual_seed(0)
    detector, criterion = Detector(), DetectionLoss(cells=4)
    optimizer = torch.optim.SGD(detector.parameters(), lr=0.05, momentum=0.9)
    frames = DataLoader(Belt(30), batch_size=2, shuffle=False, collate_fn=collate)
    backend = torch.compile(backend="eager")
    for _ in range(2):
        for images, targets in frames:
            optimizer.zero_grad()
            with compiled_autograd._enable(backend):
                criterion(*detector(images), targets).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
