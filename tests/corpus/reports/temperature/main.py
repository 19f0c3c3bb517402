"""A categorical autoencoder with a Gumbel temperature that is annealed."""
import math

import torch
import torch.nn as nn


class Discrete(nn.Module):
    def __init__(self, width=10, codes=6):
        super().__init__()
        self.enc = nn.Linear(width, codes)
        self.dec = nn.Linear(codes, width)
        self.tau = 1.0

    def forward(self, x, noise):
        logits = self.enc(x)
        soft = ((logits + noise) / self.tau).softmax(-1)
        return self.dec(soft)


def gumbel(shape):
    return -torch.log(-torch.log(torch.rand(shape).clamp(1e-6, 1 - 1e-6)))


def main():
    torch.manual_seed(15)
    net = Discrete()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    data = torch.randn(48, 10)
    for epoch in range(10):
        net.tau = max(0.3, math.exp(-0.1 * epoch))
        for batch in data.split(16):
            loss = nn.functional.mse_loss(model(batch, gumbel((16, 6))), batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
