"""Settings that change while a model learns."""

from dataclasses import dataclass


@dataclass
class Staged:
    """Sets an attribute to the next of its values every so many steps."""

    attribute: str
    values: tuple
    steps: int

    def on_step(self, target, step):
        stage = min(step // self.steps, len(self.values) - 1)
        setattr(target, self.attribute, self.values[stage])


class Callbacks:
    def __init__(self, target, *callbacks):
        self.target, self.callbacks = target, callbacks
        self.step = 0

    def __enter__(self):
        for callback in self.callbacks:
            callback.on_step(self.target, self.step)
        return self.step

    def __exit__(self, *error):
        self.step += 1
