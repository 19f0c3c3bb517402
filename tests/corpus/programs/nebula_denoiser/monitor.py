"""Tells which layers are dead."""

from collections import defaultdict


class ActivationMonitor:
    def __init__(self, model, names):
        self.alive = defaultdict(list)
        for name in names:
            model.get_submodule(name).register_forward_hook(self.hook(name))

    def hook(self, name):
        def record(module, inputs, output):
            self.alive[name].append((output > 0).float().mean().item())

        return record

    def report(self):
        return {name: round(sum(shares) / len(shares), 3) for name, shares in self.alive.items()}
