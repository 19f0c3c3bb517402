import math

import torch
from optim import CompiledAdam
from torch import nn


def lr_at(step, base=0.02, warmup=4, total=14):
    if step < warmup:
        return base * (step + 1) / warmup
    return base * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = CompiledAdam(model.parameters(), weight_decay=0.01)
    g = torch.Generator().manual_seed(0)
    for step in range(14):
        x = torch.randn(32, 6, generator=g)
        loss = (model(x)[:, 0] - x.prod(1).tanh()).pow(2).mean()
        model.zero_grad()
        loss.backward()
        opt.step(lr_at(step))
        print(f"step {step} lr {lr_at(step):.4f} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
