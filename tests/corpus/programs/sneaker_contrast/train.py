"""Learns which pictures show the same sneaker."""

import torch
from config import ContrastConfig
from contrast import MoCo
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset


def build_encoder(width=16, outputs=12):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, stride=2),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(width, outputs),
    )


def views(count, side=14):
    sneakers = torch.randn(count, 3, side, side)
    return TensorDataset(
        sneakers + 0.1 * torch.randn_like(sneakers), sneakers.flip(3) + 0.1 * torch.randn(3, 1, 1)
    )


def main():
    torch.manual_seed(21)
    config = ContrastConfig()
    loader = DataLoader(views(24), batch_size=config.batch_size, shuffle=True, drop_last=True)
    model = MoCo(build_encoder(), config)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=config.lr, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    for epoch in range(config.epochs):
        config.begin_epoch(epoch)
        total = 0.0
        for queries, keys in loader:
            loss = model(queries, keys)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        print(f"epoch {epoch}: {total / len(loader):.3f} at scale {model.scale.item():.1f}")


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="eager")):
        main()
