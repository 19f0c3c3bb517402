"""Graphs: messages along edges; hardly two batches have as many nodes and edges."""

import random

import torch

torch.set_num_threads(1)
torch.manual_seed(0)
random.seed(0)


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.own = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(3))
        self.near = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(3))

    def forward(self, x, begin, end):
        for own, near in zip(self.own, self.near, strict=True):
            messages = near(x.index_select(0, begin))
            x = torch.relu(own(x) + torch.zeros_like(x).index_add(0, end, messages))
        return x.square().mean()


net = torch.compile(Layers(), backend="aot_eager")
optimizer = torch.optim.Adam(net.parameters())
for _ in range(120):
    nodes = random.randint(300, 900)
    edges = random.randint(2 * nodes, 5 * nodes)
    begin, end = torch.randint(0, nodes, (2, edges))
    net(torch.randn(nodes, 64), begin, end).backward()
    optimizer.step()
    optimizer.zero_grad()
