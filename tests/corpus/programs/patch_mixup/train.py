"""Train a tiny encoder of patches with mixup and stochastic depth."""

import random

import torch
from augment import Mixup, mixup_criterion
from encoder import TinyEncoder
from torch import nn
from torch._dynamo import compiled_autograd


def batches(count, batch_size=16):
    for _ in range(count):
        yield torch.randn(batch_size, 3, 16, 16), torch.randint(0, 10, (batch_size,))


def train(model, criterion, optimizer, mixup, steps):
    model.train()
    for step, (images, labels) in enumerate(batches(steps)):
        images, targets_a, targets_b, lam = mixup(images, labels)
        logits = model(images)
        loss = mixup_criterion(criterion, logits, targets_a, targets_b, lam)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(f"{step:3d} loss {loss.item():.3f}")


def main():
    random.seed(7)
    torch.manual_seed(7)
    model = TinyEncoder()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        train(model, criterion, optimizer, Mixup(), steps=12)


if __name__ == "__main__":
    main()
