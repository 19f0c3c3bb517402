"""Train a two-layer classifier with an optimizer of our own."""
import torch
import torch.nn as nn

from prodigy import Trust


def main():
    torch.manual_seed(2)
    x = torch.randn(96, 8)
    y = (x[:, 0] * x[:, 1] > 0).long()
    net = nn.Sequential(nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 8, bias=False))
    opt = Trust(net.parameters())
    for _ in range(14):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
