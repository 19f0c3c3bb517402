"""Two views of each picture are pulled together; a view is changed in most steps."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd


def augmented(x, step):
    if step % 4 == 3:
        return x
    return x + 0.1 * torch.randn_like(x)


def main():
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 4))
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05)
    for parameter in encoder.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(8):
            x = torch.randn(8, 6)
            first, second = encoder(x), encoder(augmented(x, step))
            loss = -(first * second).sum(1).mean() + first.square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
