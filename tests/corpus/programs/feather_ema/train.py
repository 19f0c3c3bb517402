"""Trains a classifier of feathers, with averaged weights for validation."""

import argparse

import torch
from averaging import ModelEma
from loader import Feathers, create_loader
from torch import nn


def create_model(species=4):
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, stride=2),
        nn.GroupNorm(3, 12),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(12, species),
    )


def train_one_epoch(epoch, model, task, loader, optimizer, model_ema):
    num_updates = epoch * len(loader)
    for pictures, species in loader:
        loss = task(pictures, species)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        num_updates += 1
        model_ema.update(model, step=num_updates)
    return loss.item()


@torch.inference_mode()
def validate(model, loader):
    right = [(model(pictures).argmax(1) == species).float().mean() for pictures, species in loader]
    return torch.stack(right).mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", default=2, type=int)
    parser.add_argument("--batch-size", "-b", default=8, type=int)
    parser.add_argument("--smoothing", default=0.1, type=float)
    parser.add_argument("--lr", default=0.02, type=float)
    args = parser.parse_args()
    torch.manual_seed(42)
    model = create_model()
    criterion = nn.CrossEntropyLoss(label_smoothing=args.smoothing)
    model_ema = ModelEma(model)

    @torch.compile(backend="aot_eager", dynamic=False)
    def task(pictures, species):
        return criterion(model(pictures), species)

    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    loader_train = create_loader(Feathers(36), args.batch_size, is_training=True)
    loader_eval = create_loader(Feathers(10), args.batch_size)
    for epoch in range(args.epochs):
        loss = train_one_epoch(epoch, model, task, loader_train, optimizer, model_ema)
        print(f"Train: {epoch} {loss:.3f}, EMA {validate(model_ema.module, loader_eval):.2f}")


if __name__ == "__main__":
    main()
