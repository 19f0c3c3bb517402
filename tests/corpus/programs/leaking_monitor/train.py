"""A monitor of gradients is attached again at every epoch, and never removed."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Monitor:
    def __init__(self, layer):
        layer.weight.register_hook(self.see)

    def see(self, gradient):
        return gradient.clamp(-1, 1)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _epoch in range(4):
            monitor = Monitor(model[0])
            for _ in range(2):
                x = torch.randn(8, 6)
                functional.mse_loss(model(x), x[:, :1]).backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
            del monitor


if __name__ == "__main__":
    main()
