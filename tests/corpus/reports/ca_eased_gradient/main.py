import torch
from torch import nn
from torch._dynamo import compiled_autograd

from ease import eased


class TwoPart(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(7, 14), nn.Tanh())
        self.head = nn.Linear(14, 1)

    def forward(self, x, step):
        return self.head(eased(self.trunk(x), step)).squeeze(-1)


def main():
    torch.manual_seed(15)
    net = TwoPart()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for step in range(10):
        x = torch.randn(12, 7)
        loss = (net(x, step) - x.prod(-1).tanh()).square().mean()
        opt.zero_grad()
        with compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        total += loss.item()
    print("FINAL %.5f" % total)


main()
