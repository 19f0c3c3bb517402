"""A focal exponent that grows, with gradients logged in every second epoch."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


def focal(logits, labels, gamma):
    losses = functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return ((1 - (-losses).exp()).pow(gamma) * losses).mean()


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.SiLU(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(4):
            watched = epoch % 2 == 1
            if watched:
                handle = model[0].weight.register_hook(lambda gradient: gradient.clone())
            for _ in range(2):
                x = torch.randn(8, 6)
                focal(model(x), (x[:, :1] > 0).float(), 2.0 + 0.5 * epoch).backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
            if watched:
                handle.remove()


if __name__ == "__main__":
    main()
