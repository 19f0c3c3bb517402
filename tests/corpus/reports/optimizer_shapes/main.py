import torch
from foreach_soap import CompiledLion
from torch import nn


class Net(nn.Module):
    def __init__(self, widths=(6, 12, 20, 28, 16, 8, 1)):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(widths, widths[1:])])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x)[:, 0]


def main():
    torch.manual_seed(0)
    net = Net()
    opt = CompiledLion(net.parameters(), lr=0.003)
    g = torch.Generator().manual_seed(0)
    for step in range(8):
        x = torch.randn(32, 6, generator=g)
        loss = (net(x) - x.sum(1).cos()).pow(2).mean()
        net.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
