"""Trains the network of depths, from coarse to fine."""

import torch
from network import DepthNet
from objective import ScaleLoss
from torch._dynamo import compiled_autograd


def scenes(batches, size=4, side=16):
    for _ in range(batches):
        images = torch.rand(size, 3, side, side)
        yield images, images.mean(1, keepdim=True)


def main(epochs=6):
    torch.manual_seed(0)
    model, objective = DepthNet(), ScaleLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            objective.set_epoch(epoch)
            for images, depth in scenes(2):
                loss = objective(model(images), depth)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
