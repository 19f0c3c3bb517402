"""Norms of gradients for the dashboard."""


class GradientLog:
    def __init__(self, model, every):
        self.model = model
        self.every = every
        self.norms = {}
        self.handles = []

    def _hook(self, name):
        def note(grad):
            self.norms[name] = grad.norm()
            return grad

        return note

    def before_backward(self, step):
        if step % self.every == 0:
            for name, parameter in self.model.named_parameters():
                if name.endswith("weight"):
                    self.handles.append(parameter.register_hook(self._hook(name)))

    def after_backward(self):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    def summary(self):
        return max((norm.item() for norm in self.norms.values()), default=0.0)
