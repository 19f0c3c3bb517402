import torch
from torch import nn


def batch(g):
    x = torch.randn(20, 6, generator=g)
    return x, (x[:, 0] > x[:, 1]).float()


def train(fast, opt, g):
    for _ in range(3):
        x, y = batch(g)
        loss = nn.functional.binary_cross_entropy_with_logits(fast(x).squeeze(-1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def check(fast, g):
    x, y = batch(g)
    return ((fast(x).squeeze(-1) > 0).float() == y).float().mean().item()


def main():
    torch.manual_seed(26)
    g = torch.Generator().manual_seed(1)
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    fast = torch.compile(net, backend="aot_eager")
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    total = 0.0
    for epoch in range(4):
        train(fast, opt, g)
        total += check(fast, g)
    print("FINAL %.5f" % total)


main()
