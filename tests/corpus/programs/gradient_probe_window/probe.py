"""Hooks for the time of one step."""

from contextlib import contextmanager


def bounded(gradient):
    return gradient.clamp(-1.0, 1.0)


@contextmanager
def bounding(parameters):
    handles = [parameter.register_hook(bounded) for parameter in parameters]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
