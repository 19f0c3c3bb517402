"""Scalars of a training, by name."""

from collections import defaultdict

_CURRENT_STORAGE_STACK = []


def get_event_storage():
    assert _CURRENT_STORAGE_STACK, "get_event_storage() has to be called inside a 'with' context!"
    return _CURRENT_STORAGE_STACK[-1]


class EventStorage:
    def __init__(self, start_iter=0):
        self.iter = start_iter
        self._history = defaultdict(list)

    def put_scalar(self, name, value):
        self._history[name].append((float(value), self.iter))

    def put_scalars(self, **kwargs):
        for name, value in kwargs.items():
            self.put_scalar(name, value)

    def latest(self):
        return {name: values[-1][0] for name, values in self._history.items()}

    def step(self):
        self.iter += 1

    def __enter__(self):
        _CURRENT_STORAGE_STACK.append(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _CURRENT_STORAGE_STACK.pop()
