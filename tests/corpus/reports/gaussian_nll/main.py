"""Regression with a predicted variance."""
import torch
import torch.nn as nn


class Heteroscedastic(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, width), nn.Tanh())
        self.mean = nn.Linear(width, 1)
        self.spread = nn.Linear(width, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), nn.functional.softplus(self.spread(h)) + 1e-3


def main():
    torch.manual_seed(24)
    net = Heteroscedastic()

    @torch.compile(backend="eager", fullgraph=True)
    def loss_of(x, y):
        mean, variance = net(x)
        return nn.functional.gaussian_nll_loss(mean, y, variance)

    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    x = torch.randn(50, 3)
    y = x.sum(1, keepdim=True) + torch.randn(50, 1) * 0.2
    for _ in range(5):
        loss = loss_of(x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
