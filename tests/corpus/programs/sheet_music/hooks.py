"""Slows down what the reader learns at first."""


class WarmGradient:
    """Scale gradients up step by step, over the first `steps` backwards."""

    def __init__(self, steps):
        self.steps = steps
        self.seen = 0

    def __call__(self, gradient):
        self.seen += 1
        return gradient * min(1.0, self.seen / self.steps)


def warm_up(parameters, steps):
    for parameter in parameters:
        parameter.register_hook(WarmGradient(steps))
