"""Trains a ranker of items on clicks."""

import torch
from events import loaders
from factory import make
from torch._dynamo import compiled_autograd
from torch.nn import functional

CONFIG = {"lr": 1e-2, "model": {"users": 60, "items": 90, "width": 8, "sparse": True}}


def main():
    torch.manual_seed(0)
    model, optimizers = make(CONFIG)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(2):
            for user, item, clicked in loaders(60, 90):
                loss = functional.binary_cross_entropy_with_logits(model(user, item), clicked)
                for optimizer in optimizers:
                    optimizer.zero_grad()
                loss.backward()
                for optimizer in optimizers:
                    optimizer.step()


if __name__ == "__main__":
    main()
