"""A layer that counts its calls, fed by a queue that holds some batches in half precision."""

import torch
import torch.nn as nn


class Counted(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.warmup = 1.0

    def forward(self, x):
        return self.linear(x.float()) * self.warmup


def batches(n):
    for i in range(n):
        batch = torch.randn(4, 6)
        yield batch.bfloat16() if i % 4 == 3 else batch


def main():
    torch.manual_seed(16)
    net = Counted(6)
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i, batch in enumerate(batches(8)):
        if i >= 2:
            net.warmup = 0.5
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
