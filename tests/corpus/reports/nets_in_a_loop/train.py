"""Compare encoders of different depth; each is compiled as one graph."""
import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, depth, width=10):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = F.silu(layer(x))
        return self.head(x)


def fit(depth, x, y):
    torch.manual_seed(depth)
    net = Encoder(depth)
    model = torch.compile(net, fullgraph=True, backend="eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    x = torch.randn(32, 10)
    y = x.sum(-1, keepdim=True).sin()
    results = {}
    for depth in range(1, 11):
        results[depth] = fit(depth, x, y)
    best = min(results, key=results.get)
    print(f"best depth {best} loss {results[best]:.5f}")


if __name__ == "__main__":
    main()
