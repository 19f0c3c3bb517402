"""Segments clouds; batches are accumulated, more of them as training goes on."""

import torch
from averaging import Averaged
from scenes import Scenes
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def network(bands=4, width=6):
    return nn.Sequential(
        nn.Conv2d(bands, width, 3, padding=1, padding_mode="reflect"),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.Dropout2d(0.1),
        nn.Conv2d(width, 1, 1),
    )


def dice(logits, cloud):
    p = logits.sigmoid()
    return 1 - (2 * (p * cloud).sum() + 1) / (p.sum() + cloud.sum() + 1)


def accumulated(epoch):
    return 1 + epoch


def main(epochs=3):
    torch.manual_seed(0)
    model, scenes = network(), Scenes()
    averaged = Averaged(model, keep=0.95)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            share = epoch / epochs
            for number, (bands, cloud) in enumerate(scenes, start=1):
                logits = model(bands)
                entropy = functional.binary_cross_entropy_with_logits(logits, cloud)
                loss = (1 - share) * entropy + share * dice(logits, cloud)
                (loss / accumulated(epoch)).backward()
                if number % accumulated(epoch) == 0:
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=False)
                    averaged.update()
            with averaged.swapped_in() as steady, torch.no_grad():
                steady(torch.rand(1, 4, 8, 8))


if __name__ == "__main__":
    main()
