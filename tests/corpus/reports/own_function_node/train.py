"""A compiled layer with a hand-written backward, and compiled autograd."""
import torch
from torch import nn


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad @ b.T, a.T @ grad


class Layer(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width) / 3)

    def forward(self, x):
        return Scaled.apply(x, self.weight).relu()


def main():
    torch.manual_seed(51)
    net = Layer()
    model = torch.compile(net, backend="eager", fullgraph=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(6):
        x = torch.randn(10, 6)
        loss = (model(x) - x).square().mean()
        optimizer.zero_grad()
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
            loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
