"""Scaled gradients of chosen layers."""

from collections.abc import Iterator
from contextlib import contextmanager


def scaled_by(factor):
    def scale(gradient):
        return gradient * factor

    return scale


@contextmanager
def discounted(layers, factor) -> Iterator[None]:
    """Gradients of `layers` are multiplied by `factor` inside."""
    handles = [p.register_hook(scaled_by(factor)) for layer in layers for p in layer.parameters()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def layer_decay(epoch, rate=0.9):
    return rate ** (epoch + 1)
