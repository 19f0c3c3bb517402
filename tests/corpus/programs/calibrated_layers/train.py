"""Quantization-aware training of a small perceptron."""

import torch
from model import QuantizedMLP
from torch import nn


def batches(count, batch_size=16):
    weights = torch.randn(20, 3)
    for _ in range(count):
        x = torch.randn(batch_size, 20)
        yield x, (x @ weights).argmax(1)


def main(steps=12):
    torch.manual_seed(0)
    model = QuantizedMLP()
    compiled = torch.compile(model, backend="eager")
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (x, y) in enumerate(batches(steps)):
        loss = criterion(compiled(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 3:
            ranges = [round(float(q.high), 2) for q in model.quantizers]
            print(f"step {step}: loss {loss.item():.3f}, ranges {ranges}")


if __name__ == "__main__":
    main()
