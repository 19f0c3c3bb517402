"""AdamW under a one-cycle schedule; its step is compiled."""

import torch
from torch import nn
from torch.nn import functional

STEPS = 10


def make_optimizer(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=1e-2, total_steps=STEPS, cycle_momentum=False
    )
    return optimizer, schedule


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.SiLU(), nn.Linear(12, 2))
    optimizer, schedule = make_optimizer(model)
    step = torch.compile(optimizer.step, backend="eager")
    for _ in range(STEPS):
        x = torch.randn(8, 6)
        loss = functional.cross_entropy(model(x), (x.sum(1) > 0).long())
        optimizer.zero_grad()
        loss.backward()
        step()
        schedule.step()


if __name__ == "__main__":
    main()
