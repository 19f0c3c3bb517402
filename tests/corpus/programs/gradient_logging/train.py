"""Gradients are logged in every third step, by a hook that is removed again."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class GradientLog:
    def __init__(self, model):
        self.model = model
        self.handles = []

    def attach(self):
        for module in self.model:
            if isinstance(module, nn.Linear):
                self.handles.append(module.weight.register_hook(lambda gradient: gradient * 1.0))

    def detach(self):
        for handle in self.handles:
            handle.remove()
        self.handles = []


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
    log = GradientLog(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(7):
            if step % 3 == 0:
                log.attach()
            x = torch.randn(8, 6)
            functional.mse_loss(model(x), x.mean(1, keepdim=True)).backward()
            log.detach()
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
