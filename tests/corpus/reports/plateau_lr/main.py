"""Fit a small regressor; the rate is lowered by hand whenever the validation loss stops falling."""
import torch
import torch.nn as nn


class Plateau:
    """Halve the rate after `patience` epochs without progress."""

    def __init__(self, optimizer, factor=0.5, patience=1, floor=1e-4):
        self.optimizer, self.factor, self.patience, self.floor = optimizer, factor, patience, floor
        self.best, self.bad = float("inf"), 0

    def step(self, metric):
        if metric < self.best - 0.05:
            self.best, self.bad = metric, 0
            return
        self.bad += 1
        if self.bad > self.patience:
            for group in self.optimizer.param_groups:
                group["lr"] = max(float(group["lr"]) * self.factor, self.floor)
            self.bad = 0


def main():
    torch.manual_seed(11)
    x = torch.randn(64, 6)
    y = x @ torch.randn(6, 1) + 0.3 * torch.randn(64, 1)
    model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.05))
    scheduler = Plateau(optimizer)
    update = torch.compile(optimizer.step, backend="eager")
    for epoch in range(20):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        update()
        scheduler.step(loss.item())
    print(f"FINAL {loss.item():.5f} {float(optimizer.param_groups[0]['lr']):.5f}")


if __name__ == "__main__":
    main()
