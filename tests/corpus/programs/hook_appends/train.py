"""Train a regressor; every third step a hook keeps the size of a gradient in a list."""

import torch
import torch.nn as nn

HISTORY = []


def keep(grad):
    HISTORY.append(grad.norm().item())


def main():
    torch.manual_seed(42)
    net = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(32, 5)
    y = x[:, :1] * x[:, 1:2]
    for parameter in net.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for step in range(9):
        handle = None
        if step % 3 == 0:
            handle = net[0].weight.register_hook(keep)
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad(set_to_none=False)
        loss.backward()
        opt.step()
        if handle is not None:
            handle.remove()
    print(f"FINAL {loss.item():.5f} {len(HISTORY)}")


if __name__ == "__main__":
    main()
