"""Meta-learning with second derivatives; tasks get more rounds of adaptation as it goes on."""

import torch
from meta import adapt, sinusoid
from torch import nn
from torch._dynamo import compiled_autograd
from torch.func import functional_call
from torch.nn import functional


def rounds_at(step):
    return 1 + step // 3


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    engage = torch.compile(backend="eager")
    for step in range(8):
        support, (x, y) = sinusoid(10)
        adapted = adapt(model, support, 0.05, rounds_at(step))
        loss = functional.mse_loss(functional_call(model, adapted, (x,)), y)
        with compiled_autograd._enable(engage):
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)


if __name__ == "__main__":
    main()
