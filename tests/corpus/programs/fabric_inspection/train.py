"""Learns what faultless fabric looks like."""

import torch
from network import Weave
from torch.nn import functional
from watch import SpikeWatch


def rolls(count, batch=4, size=16):
    at = torch.arange(size, dtype=torch.float32)
    for _ in range(count):
        period = 3 + 2 * torch.rand(batch, 1, 1, 1)
        weave = torch.sin(at / period) * torch.cos(at[:, None] / period)
        yield weave + 0.05 * torch.randn(batch, 1, size, size)


def main(steps=6):
    torch.manual_seed(0)
    model = Weave()
    watch = SpikeWatch()
    handles = watch.attach(model.last)
    optimizer = torch.optim.RAdam(model.parameters(), lr=5e-3)
    warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3))
    try:
        for cloth in rolls(steps):
            loss = functional.l1_loss(model(cloth), cloth)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            warm.step()
    finally:
        for handle in handles:
            handle.remove()


if __name__ == "__main__":
    main()
