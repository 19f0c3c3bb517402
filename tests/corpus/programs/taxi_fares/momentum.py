"""SGD with momentum in a few lines, so that it can be compiled whole."""

import torch


@torch.compile(backend="eager")
def update(weights, gradients, velocities, rate):
    for weight, gradient, velocity in zip(weights, gradients, velocities, strict=True):
        velocity.mul_(0.9).add_(gradient)
        weight.sub_(rate * velocity)


class Momentum:
    def __init__(self, parameters, peak, warm):
        self.parameters = list(parameters)
        self.velocity = {one: torch.zeros_like(one) for one in self.parameters}
        self.peak, self.warm, self.taken = peak, warm, 0

    @property
    def rate(self):
        return self.peak * min(1.0, (self.taken + 1) / self.warm)

    def step(self):
        moved = [one for one in self.parameters if one.grad is not None]
        update(
            [one.data for one in moved],
            [one.grad for one in moved],
            [self.velocity[one] for one in moved],
            self.rate,
        )
        self.taken += 1

    def zero_grad(self):
        for one in self.parameters:
            one.grad = None
