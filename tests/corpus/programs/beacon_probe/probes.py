"""Looks at gradients while they are computed."""

import torch


class GradientProbe:
    """Norms of the gradients of a module's weights, for the dashboard."""

    def __init__(self, model, every):
        self.every = every
        self.watched = [(n, p) for n, p in model.named_parameters() if n.endswith("weight")]
        self.names = [name for name, _ in self.watched]
        self.norms = torch.zeros(len(self.watched))
        self.handles = []

    def _hook(self, index):
        def look(grad):
            self.norms[index] = float(grad.norm())

        return look

    def attach(self):
        for index, (_, parameter) in enumerate(self.watched):
            self.handles.append(parameter.register_hook(self._hook(index)))

    def detach(self):
        while self.handles:
            self.handles.pop().remove()

    def before_backward(self, step):
        if step % self.every == 0:
            self.attach()

    def after_backward(self, step):
        if step % self.every == 0:
            self.detach()
            shown = zip(self.names, self.norms.tolist(), strict=True)
            print(f"step {step}", {name: round(norm, 4) for name, norm in shown})
