"""Losses by name; what is thrown away costs less than what is missed."""

import torch
from torch.nn import functional

REGISTRY = {}


def register(name):
    def add(loss):
        REGISTRY[name] = loss
        return loss

    return add


@register("pinball")
def pinball(guess, sold, service):
    gap = sold - guess
    return torch.maximum(service * gap, (service - 1) * gap).mean()


@register("huber")
def huber(guess, sold, service):
    return functional.huber_loss(guess, sold, delta=1 + service)


@register("waste")
def waste(guess, sold, service):
    return functional.leaky_relu(guess - sold, negative_slope=-service).mean()


def combined(weights, service):
    """A loss that sums registered ones with their weights."""

    def loss(guess, sold):
        parts = [w * REGISTRY[name](guess, sold, service) for name, w in weights.items()]
        return torch.stack(parts).sum()

    return loss
