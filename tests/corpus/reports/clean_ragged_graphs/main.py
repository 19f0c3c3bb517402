import torch
from torch import nn


class SumConv(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(2 * width, width)

    def forward(self, x, edges):
        source, target = edges[0], edges[1]
        seen = torch.zeros_like(x).index_add(0, target, x[source])
        return torch.relu(self.inner(torch.cat([x, seen], -1)))


class GraphNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.a, self.b = SumConv(width), SumConv(width)
        self.out = nn.Linear(width, 1)

    def forward(self, x, edges):
        return self.out(self.b(self.a(x, edges), edges)).mean()


def main():
    torch.manual_seed(25)
    net = GraphNet()
    fast = torch.compile(net, backend="aot_eager", dynamic=True)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    total = 0.0
    for step in range(8):
        nodes, count = 5 + 3 * step % 11, 9 + 7 * step % 17
        x, edges = torch.randn(nodes, 8), torch.randint(0, nodes, (2, count))
        loss = (fast(x, edges) - x.mean()).square()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
