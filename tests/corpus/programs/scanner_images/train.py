"""Trains a classifier on images of both scanners."""

import torch
from readers import stream
from torch import nn
from torch.nn import functional

VENDORS = ["planar", "planar", "interleaved", "planar", "interleaved", "interleaved"]


class Classifier(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=2), nn.ReLU(), nn.Conv2d(width, width, 3), nn.ReLU()
        )
        self.head = nn.Linear(width, 2)

    def forward(self, images):
        images = images - images.mean((2, 3), keepdim=True)
        return self.head(self.features(images).mean((2, 3)))


def main():
    torch.manual_seed(0)
    model = Classifier()
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for images, kinds in stream(VENDORS, size=4):
        loss = functional.cross_entropy(compiled(images), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
