import torch
import torch.nn as nn
import torch.nn.functional as F

from moe import MoE


class Net(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.inp = nn.Linear(6, dim)
        self.moe = MoE(dim)
        self.out = nn.Linear(dim, 3)

    def forward(self, x):
        h = torch.tanh(self.inp(x))
        y, counts = self.moe(h)
        return self.out(h + y), counts


def batches(n, size=32):
    g = torch.Generator().manual_seed(3)
    for _ in range(n):
        x = torch.randn(size, 6, generator=g)
        yield x, x[:, :3].argmax(-1)


def train(steps):
    torch.manual_seed(0)
    net = Net()
    forward = torch.compile(net, backend="eager")
    opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
    load = torch.zeros(4)
    losses = []
    for x, y in batches(steps):
        logits, counts = forward(x)
        loss = F.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        load += counts
        losses.append(round(loss.item(), 4))
    return losses, load.tolist()


if __name__ == "__main__":
    losses, load = train(12)
    print("load", load, "losses", losses)
