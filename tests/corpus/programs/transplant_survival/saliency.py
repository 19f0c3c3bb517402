"""Records how strongly the risk reacts to each patient's embedding."""

from contextlib import contextmanager

import torch


class Saliency:
    def __init__(self, every):
        self.every = every
        self.seen = 0
        self.latest = torch.zeros(())

    def due(self):
        return self.seen % self.every == 0

    def _record(self, grad):
        self.latest = grad.norm(dim=1).mean()

    @contextmanager
    def watching(self):
        handles = []

        def watch(hidden):
            if self.due():
                handle = hidden.register_hook(self._record)
                handles.append(handle)

        yield watch
        self.seen += 1
        for handle in handles:
            handle.remove()
