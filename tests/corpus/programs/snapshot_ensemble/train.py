"""Learns from few labels and from what the model said before."""

import torch
from losses import build_criterion
from snapshots import Snapshots
from torch import nn


def samples(count, features=10, classes=3):
    inputs = torch.randn(count, features)
    labels = inputs[:, :classes].argmax(1)
    return inputs, torch.where(torch.rand(count) < 0.5, labels, -1)


def main(epochs=7, batch_size=8):
    torch.manual_seed(4)
    inputs, labels = samples(29)
    model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 3))
    criterion = torch.compile(
        build_criterion({"supervised": 1.0, "consistency": 0.5}), backend="aot_eager"
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    snapshots = Snapshots(keep=5)
    for epoch in range(epochs):
        for rows in torch.randperm(len(inputs)).split(batch_size):
            loss = criterion(model(inputs[rows]), labels[rows], snapshots.of(rows))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        snapshots.take(model, inputs)
        print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
