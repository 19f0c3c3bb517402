import torch

from graph_net import GraphNet


def ring(nodes, extra):
    here = torch.arange(nodes)
    circle = torch.stack([here, (here + 1) % nodes])
    return torch.cat([circle, torch.randint(0, nodes, (2, extra))], 1)


def main():
    torch.manual_seed(21)
    net = GraphNet()
    fast = torch.compile(net, backend="aot_eager", dynamic=True)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    total = 0.0
    for nodes, extra in [(7, 5), (9, 12), (12, 4), (6, 9), (15, 20)]:
        x, edges = torch.randn(nodes, 8), ring(nodes, extra)
        loss = (fast(x, edges) - x.mean()).square()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
