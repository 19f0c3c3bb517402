"""Learns pictures without labels: two views of one are near, views of two are far."""

import torch
from photometric import Grayscale, WhiteBalance
from torch import nn
from torch.nn import functional
from transforms import Chain, Jigsaw, Mirror


def contrastive(left, right, temperature=0.2):
    left, right = functional.normalize(left), functional.normalize(right)
    likeness = left @ right.mT / temperature
    return functional.cross_entropy(likeness, torch.arange(len(likeness)))


def main():
    torch.manual_seed(0)
    chain = Chain(Mirror(0.5), WhiteBalance(0.2), Grayscale(0.2), Jigsaw(0.7))
    augment = torch.compile(chain, backend="eager")
    encoder = nn.Sequential(
        nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten()
    )
    head = nn.Linear(48, 16)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.05)
    pictures = torch.rand(64, 3, 16, 16)
    for epoch in range(2):
        for batch in pictures.split(16):
            left, right = augment(batch), augment(batch)
            loss = contrastive(head(encoder(left)), head(encoder(right)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
