"""Non-saturating losses and the penalty on the gradient at real data."""

import torch
from torch.nn import functional


def discriminator_loss(real, fake):
    return functional.softplus(-real).mean() + functional.softplus(fake).mean()


def generator_loss(fake):
    return functional.softplus(-fake).mean()


def penalty(net, real):
    real = real.detach().requires_grad_(True)
    (gradient,) = torch.autograd.grad(net(real).sum(), real, create_graph=True)
    return gradient.square().sum(1).mean()
