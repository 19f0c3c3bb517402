"""A compiled network whose activation gets steeper."""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Annealed(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = 0.3
        self.first, self.second = nn.Linear(6, 12), nn.Linear(12, 1)

    def forward(self, x):
        return self.second(functional.leaky_relu(self.first(x), self.slope))


def main():
    torch.manual_seed(0)
    model = Annealed()
    compiled = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(4):
            model.slope = 0.3 / (1 + epoch)
            for _ in range(2):
                x = torch.randn(8, 6)
                functional.mse_loss(compiled(x), x.mean(1, keepdim=True)).backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
