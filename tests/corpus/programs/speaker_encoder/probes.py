"""Follows the size of the gradients of each layer, as a callback of the trainer."""

from collections import defaultdict


class Callback:
    def on_train_begin(self, model):
        pass

    def on_step_begin(self, model, step):
        pass

    def on_step_end(self, model, step):
        pass


class GradientNorms(Callback):
    def __init__(self, every=2):
        self.every = every
        self.norms = defaultdict(list)
        self.handles = []

    def watch(self, name, parameter):
        def note(gradient):
            return gradient.clamp(-5.0, 5.0)

        self.handles.append(parameter.register_hook(note))
        self.norms[name].append(float(parameter.detach().norm()))

    def on_step_begin(self, model, step):
        if step % self.every == 0:
            for name, parameter in model.named_parameters():
                if parameter.dim() > 1:
                    self.watch(name, parameter)
