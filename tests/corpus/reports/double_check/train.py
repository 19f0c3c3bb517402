"""Fit a spring model; every second round is checked against finite differences."""
import torch
from torch import nn


class Spring(nn.Module):
    def __init__(self):
        super().__init__()
        self.stiffness = nn.Parameter(torch.tensor(0.5))
        self.net = nn.Sequential(nn.Linear(2, 12), nn.Tanh(), nn.Linear(12, 1))

    def forward(self, state):
        grid = torch.linspace(0, 1, 5).to(state.dtype)
        return self.stiffness * self.net(state).squeeze(-1) + grid.mean()


def reference(state):
    torch.set_default_dtype(torch.float64)
    precise = state.double()
    return (precise[:, 0] ** 2 - torch.tensor(0.3) * precise[:, 1]).float()


def main():
    torch.manual_seed(9)
    net = Spring()
    model = torch.compile(net, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    worst = 0.0
    for turn in range(6):
        torch.set_default_dtype(torch.float32)
        state = torch.randn(12, 2)
        loss = (model(state) - state[:, 0] ** 2 + 0.3 * state[:, 1]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if turn % 2:
            expected = reference(state)
            worst = max(worst, float((model(state) - expected).detach().abs().max()))
    print(f"loss {loss.item():.4f} worst {worst:.4f}")


if __name__ == "__main__":
    main()
