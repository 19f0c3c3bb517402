"""Saving and restoring all that training needs."""

import io
from contextlib import contextmanager

import torch


class Checkpoint:
    def __init__(self, **parts):
        self.parts = parts
        self.saved = None

    def save(self):
        self.saved = io.BytesIO()
        torch.save({name: part.state_dict() for name, part in self.parts.items()}, self.saved)

    def restore(self):
        self.saved.seek(0)
        for name, state in torch.load(self.saved, weights_only=True).items():
            self.parts[name].load_state_dict(state)


@contextmanager
def swapped(model, averaged):
    """Puts averaged weights into a model for a while."""
    own = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(averaged)
    try:
        yield model
    finally:
        model.load_state_dict(own)
