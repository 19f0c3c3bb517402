"""Trains a classifier of small images by the recipe."""

import torch
from recipe import Recipe
from torch import nn
from torch._dynamo import compiled_autograd


def network():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.GroupNorm(2, 8),
        nn.SiLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 10),
    )


def main(epochs=4, batches=4):
    torch.manual_seed(0)
    model, recipe = network(), Recipe(epochs)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            recipe.begin_epoch(epoch)
            for _ in range(batches):
                images, labels = torch.randn(8, 3, 8, 8), torch.randint(0, 10, (8,))
                optimizer.zero_grad()
                recipe.loss(model, images, labels).backward()
                optimizer.step()
            scheduler.step()


if __name__ == "__main__":
    main()
