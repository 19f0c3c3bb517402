"""An average of the weights is kept, and it alone is evaluated. Nothing is wrong here."""

import copy

import torch
from torch import nn
from torch.nn import functional


@torch.no_grad()
def update(average, model, decay):
    for old, new in zip(average.parameters(), model.parameters(), strict=True):
        old.lerp_(new, 1 - decay)


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 2))
    average = copy.deepcopy(net).requires_grad_(False)
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=12)
    for step in range(12):
        x, labels = torch.randn(8, 6), torch.randint(0, 2, (8,))
        loss = functional.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        update(average, net, min(0.99, step / 12))
        if step % 4 == 3:
            average(x).argmax(1)


if __name__ == "__main__":
    main()
