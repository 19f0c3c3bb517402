"""Contrastive learning on horizontal bands of feature maps."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from views import bands, contrast, two_views


class Backbone(nn.Sequential):
    def __init__(self, width=4):
        super().__init__(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)
        )


def main(steps=6, height=13):
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(7)
    backbone = Backbone()
    optimizer = torch.optim.SGD(backbone.parameters(), lr=0.05)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            images = torch.rand(5, 1, height, 8, generator=generator)
            first, second = map(backbone, two_views(images, generator))
            loss = contrast(first, second, bands(height, step))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
