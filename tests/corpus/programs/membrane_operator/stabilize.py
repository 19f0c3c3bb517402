"""Gradients of a branch that starts cold are damped for the first few steps."""

from torch import Tensor, nn


class GradientWarmup:
    """Hook for a parameter: scales its gradient by a factor that grows to 1."""

    def __init__(self, start: float = 0.1, growth: float = 1.4):
        self.factor = start
        self.growth = growth

    def __call__(self, grad: Tensor) -> Tensor:
        damped = grad * self.factor
        self.factor = min(1.0, self.factor * self.growth)
        return damped


def warm(layer: nn.Linear, start: float) -> list[GradientWarmup]:
    hooks = []
    for parameter in layer.parameters():
        hook = GradientWarmup(start)
        parameter.register_hook(hook)
        hooks.append(hook)
    return hooks
