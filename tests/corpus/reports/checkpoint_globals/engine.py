import checkpointing
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(dim, 2 * dim), nn.Tanh(), nn.Linear(2 * dim, dim)) for _ in range(layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + checkpointing.run_segment(layer, x)
        return x


class Engine:
    def __init__(self, dim, layers):
        self.net = Net(dim, layers)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05)
        self.fast = torch.compile(self.net, backend="aot_eager")
        checkpointing.configure(use_reentrant=False)

    def train_batch(self, x, y):
        loss = (self.fast(x) - y).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
