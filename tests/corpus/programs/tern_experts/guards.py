"""What keeps the gate from blowing up."""

from torch import nn


def limit_gradients(module: nn.Module, limit: float):
    """Scale the gradient of each parameter of `module` down to a norm of at most `limit`."""

    def limited(grad):
        norm = grad.norm()
        if norm > limit:
            return grad * (limit / norm)
        return grad

    return [p.register_hook(limited) for p in module.parameters()]
