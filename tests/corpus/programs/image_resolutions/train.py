"""Progressive resizing: five resolutions, three batches of each."""

import torch
from data import STAGES, batches
from torch import nn
from torch.nn import functional


def make_model():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(16, 4),
    )  # fmt: skip


def main():
    torch.manual_seed(0)
    model = make_model()
    compiled = torch.compile(model, backend="eager", dynamic=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for stage in range(len(STAGES)):
        for pictures, labels in batches(stage):
            loss = functional.cross_entropy(compiled(pictures), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
