"""A watcher of gradients, after the manner of the dashboards."""

from collections import defaultdict, deque


class GradientWatch:
    def __init__(self, names, keep):
        self.names = tuple(names)
        self.history = defaultdict(lambda: deque(maxlen=keep))

    def watch(self, model, prefix=""):
        for name, module in model.named_children():
            if name not in self.names:
                continue
            for key, parameter in module.named_parameters(prefix=prefix + name):
                parameter.register_hook(self._hook(key))

    def _hook(self, key):
        def record(grad):
            self.history[key].append(grad.norm().item())

        return record

    def summary(self):
        return {key: sum(values) / len(values) for key, values in sorted(self.history.items())}
