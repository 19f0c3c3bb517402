"""Compiled autograd for training, with a validation inside of it. Nothing is wrong here."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


@torch.no_grad()
def validate(model):
    model.eval()
    error = functional.mse_loss(model(torch.ones(3, 6)), torch.ones(3, 1))
    model.train()
    return error


def main():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.1), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for parameter in net.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x = torch.randn(8, 6)
            functional.mse_loss(net(x), x[:, :1]).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            if step % 2:
                validate(net)


if __name__ == "__main__":
    main()
