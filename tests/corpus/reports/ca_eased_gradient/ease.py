import math


def eased(hidden, step, pace=4.0):
    """Lets the gradient through more and more while training goes on."""

    def let_through(grad):
        return grad * (1.0 - math.exp(-(step + 1) / pace))

    hidden.register_hook(let_through)
    return hidden
