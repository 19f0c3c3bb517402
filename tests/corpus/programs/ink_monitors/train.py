"""Trains the reader and shows what its monitors saw."""

import torch
from reader import Reader, sharpened
from torch.nn import functional


def digits(count=96, kinds=4):
    shapes = torch.rand(kinds, 1, 8, 8).round()
    kind = torch.randint(kinds, (count,))
    return (shapes[kind] + 0.2 * torch.randn(count, 1, 8, 8)).clamp(0, 1), kind


def main():
    torch.manual_seed(0)
    images, kinds = digits()
    reader = Reader()
    model = torch.compile(reader, backend="aot_eager")
    optimizer = torch.optim.SGD(reader.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(3):
        for batch, kind in zip(images.split(32), kinds.split(32), strict=True):
            logits, seen = model(batch)
            loss = functional.cross_entropy(logits, kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        told = ", ".join(f"{name} {value.item():.2f}" for name, value in seen.items())
        print(f"epoch {epoch}: {loss.item():.3f}; {told}; {sharpened.calls} calls noted")


if __name__ == "__main__":
    main()
