"""Remembers how large gradients were, by name, for a plot."""

from contextlib import ExitStack, contextmanager
from functools import partial


class Telemetry:
    def __init__(self, keep=50):
        self.keep = keep
        self.sizes = {}

    def record(self, gradient, *, name):
        seen = self.sizes.setdefault(name, [])
        seen.append(gradient.detach().square().mean())
        if len(seen) > self.keep:
            seen.pop(0)

    @contextmanager
    def on(self, module):
        with ExitStack() as stack:
            for name, parameter in module.named_parameters():
                handle = parameter.register_hook(partial(self.record, name=name))
                stack.callback(handle.remove)
            yield self
