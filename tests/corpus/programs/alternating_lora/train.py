"""Adapts a small classifier; each round trains one half of every adapter."""

import torch
from lora import adapt, halves
from phases import Alternation
from torch import nn
from torch.nn import functional


def build():
    return nn.Sequential(
        nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 24), nn.GELU(), nn.Linear(24, 4)
    )


def main():
    torch.manual_seed(5)
    plan = Alternation()
    model = adapt(build(), rank=2)
    optimizers = {which: torch.optim.AdamW(halves(model, which), lr=1e-2) for which in plan.order}
    for phase in plan.phases(rounds=4):
        plan.enter(model, phase)
        for _ in range(plan.period):
            inputs, targets = torch.randn(16, 12), torch.randint(0, 4, (16,))
            model.zero_grad()
            functional.cross_entropy(model(inputs), targets).backward()
            optimizers[phase].step()


if __name__ == "__main__":
    main()
