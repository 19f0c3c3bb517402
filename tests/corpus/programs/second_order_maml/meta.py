"""Adaptation to a task, differentiable."""

import torch
from torch.func import functional_call
from torch.nn import functional


def sinusoid(count):
    shift, height = torch.rand(1) * 3, 1 + torch.rand(1)
    x = torch.rand(2 * count, 1) * 4
    y = height * (x + shift).sin()
    return (x[:count], y[:count]), (x[count:], y[count:])


def adapt(model, support, rate, rounds):
    """Return parameters after `rounds` steps of gradient descent, with their graph."""
    x, y = support
    parameters = dict(model.named_parameters())
    for _ in range(rounds):
        loss = functional.mse_loss(functional_call(model, parameters, (x,)), y)
        gradients = torch.autograd.grad(loss, list(parameters.values()), create_graph=True)
        pairs = zip(parameters.items(), gradients, strict=True)
        parameters = {name: value - rate * gradient for (name, value), gradient in pairs}
    return parameters
