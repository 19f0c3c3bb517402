"""Momentum descent on a few blocks of parameters at a time."""

import random
from functools import partial

import torch


def cyclic(step, names, count):
    first = step * count % len(names)
    return names[first : first + count]


def sampled(step, names, count, rng):
    return sorted(rng.sample(names, count)) if step else names


def rule(name, seed=3):
    return {"cyclic": cyclic, "sampled": partial(sampled, rng=random.Random(seed))}[name]


class BlockDescent:
    def __init__(self, model, choose, count=2, lr=0.05):
        self.blocks = {name: list(block.parameters()) for name, block in model.named_children()}
        self.choose, self.count, self.lr = choose, count, lr
        self.steps = 0

    def step(self, loss):
        names = self.choose(self.steps, list(self.blocks), self.count)
        parameters = [one for name in names for one in self.blocks[name]]
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= self.lr * gradient
        self.steps += 1
