"""Trains on scribbles; the coarse head is supervised on most steps."""

import torch
from config import Config
from losses import scribble_loss
from model import Segmenter
from torch._dynamo import compiled_autograd


def scribbles(config, generator, batch=2, side=12):
    images = torch.randn(batch, 1, side, side, generator=generator)
    labels = (images[:, 0] > 0.3).long() + (images[:, 0] > 1).long()
    unknown = torch.rand(labels.shape, generator=generator) > 0.5
    return images, labels.masked_fill(unknown, -100)


def main(config):
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(3)
    model = Segmenter(config)
    optimizer = torch.optim.SGD(model.parameters(), lr=config.lr, momentum=0.9)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(config.steps):
            images, labels = scribbles(config, generator)
            maps = model(images, deep=config.deep.wanted(step))
            loss = scribble_loss(maps, labels, config.deep.weight)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(Config())
