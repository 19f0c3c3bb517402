"""A compiled step of the optimizer under a cosine schedule."""

import torch
from torch import nn
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)

    @torch.compile(fullgraph=False, backend="eager")
    def update():
        optimizer.step()

    for _ in range(8):
        inputs = torch.randn(16, 8)
        loss = functional.mse_loss(model(inputs), inputs.sum(1, keepdim=True))
        loss.backward()
        update()
        schedule.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
