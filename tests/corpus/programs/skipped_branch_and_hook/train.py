"""An auxiliary loss in every second step, and a hook that looks at a gradient."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 10)
        self.box = nn.Linear(10, 2)
        self.auxiliary = nn.Linear(10, 1)


def watch(gradient):
    if gradient.norm().item() > 1e3:
        return gradient / 2
    return gradient


def main():
    torch.manual_seed(0)
    model = Detector()
    model.trunk.weight.register_hook(watch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(6):
            x = torch.randn(8, 6)
            features = model.trunk(x).relu()
            loss = functional.mse_loss(model.box(features), x[:, :2])
            if step % 2 == 1:
                loss = loss + 0.1 * model.auxiliary(features).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
