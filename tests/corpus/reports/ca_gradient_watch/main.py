import torch
from torch import nn
from torch._dynamo import compiled_autograd

from watch import GradientWatch


def main():
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3))
    watch = GradientWatch(net)
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    total = 0.0
    for step in range(5):
        x = torch.randn(16, 5)
        loss = nn.functional.cross_entropy(net(x), x.argmax(-1) % 3)
        opt.zero_grad()
        with compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        total += loss.item()
    print("peaks %.4f" % watch.total())
    print("FINAL %.5f" % (total + float(watch.total())))


main()
