"""What is logged of a run."""

from collections import defaultdict


class Tracker:
    def __init__(self):
        self.history = defaultdict(list)

    def log(self, values, step):
        for name, value in values.items():
            self.history[name].append((step, value))

    def last(self, name):
        return self.history[name][-1][1]


class GradientWatch:
    """The norms of the gradients of some parameters, as the backward finds them."""

    def __init__(self, model, suffixes=("conv_out.weight",)):
        self.norms = {}
        for name, parameter in model.named_parameters():
            if name.endswith(suffixes):
                self.norms[name] = 0.0
                parameter.register_hook(self._hook(name))

    def _hook(self, name):
        def note(grad):
            self.norms[name] = grad.norm().item()

        return note

    def summary(self):
        return {f"grad/{name}": norm for name, norm in self.norms.items()}
