"""First-order meta-learning: an inner step by autograd.grad, an outer by backward.

Nothing is wrong here: the two backwards differ by what they are.
"""

import torch
from torch import nn
from torch._dynamo import compiled_autograd
from torch.func import functional_call
from torch.nn import functional


def adapt(model, x, y, rate):
    parameters = dict(model.named_parameters())
    loss = functional.mse_loss(functional_call(model, parameters, (x,)), y)
    gradients = torch.autograd.grad(loss, list(parameters.values()))
    pairs = zip(parameters.items(), gradients, strict=True)
    return {name: value - rate * gradient for (name, value), gradient in pairs}


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(4):
            optimizer.zero_grad(set_to_none=False)
            for _task in range(2):
                shift = torch.rand(1) * 3
                x = torch.rand(10, 1) * 4
                adapted = adapt(model, x, (x + shift).sin(), 0.05)
                query = torch.rand(10, 1) * 4
                guess = functional_call(model, adapted, (query,))
                functional.mse_loss(guess, (query + shift).sin()).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
