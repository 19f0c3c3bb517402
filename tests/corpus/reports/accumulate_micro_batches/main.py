"""Accumulate gradients over four micro batches per step; the backward runs under compiled autograd."""
import torch
import torch.nn as nn


def main():
    torch.manual_seed(37)
    net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=0.01)
    x = torch.randn(64, 6)
    y = x.sum(1, keepdim=True).sin()
    for _ in range(4):
        for bx, by in zip(x.split(16), y.split(16)):
            loss = nn.functional.mse_loss(net(bx), by) / 4
            loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
