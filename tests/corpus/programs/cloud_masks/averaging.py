"""A running average of weights that stands in for them in an evaluation."""

from contextlib import contextmanager

import torch


class Averaged:
    def __init__(self, model, keep):
        self.model, self.keep = model, keep
        self.values = {name: value.clone() for name, value in model.state_dict().items()}

    @torch.no_grad()
    def update(self):
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                self.values[name].lerp_(value, 1 - self.keep)

    @contextmanager
    def swapped_in(self):
        kept = {name: value.clone() for name, value in self.model.state_dict().items()}
        training = self.model.training
        self.model.load_state_dict(self.values)
        self.model.eval()
        try:
            yield self.model
        finally:
            self.model.load_state_dict(kept)
            self.model.train(training)
