"""Perturbs inputs along the sign of their gradient."""


def watch(x):
    """The gradient of the loss reaches `x` itself."""
    return x.clone().requires_grad_()


def perturbed(x, gradient, strength=0.1):
    return x + strength * gradient.sign()
