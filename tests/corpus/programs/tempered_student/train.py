"""Distils a wide network into a narrow one, with the loss scaled by hand."""

import torch
from distill import distillation, temperatures
from torch import nn
from torch._dynamo import compiled_autograd

STEPS = 12


class Scaler:
    def __init__(self, scale=1024.0):
        self.scale = scale

    def __call__(self, loss):
        return loss * self.scale

    def unscale(self, parameters):
        for parameter in parameters:
            parameter.grad.div_(self.scale)
        self.scale = min(self.scale * 2, 65536.0)


def network(width):
    return nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 5))


def main():
    torch.manual_seed(9)
    teacher, student = network(32).eval(), network(8)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    scaler = Scaler()
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for temperature in temperatures(4.0, 1.0, STEPS):
            inputs = torch.randn(16, 8)
            with torch.no_grad():
                wanted = teacher(inputs)
            loss = distillation(student(inputs), wanted, temperature)
            optimizer.zero_grad()
            scaler(loss).backward()
            scaler.unscale(student.parameters())
            optimizer.step()


if __name__ == "__main__":
    main()
