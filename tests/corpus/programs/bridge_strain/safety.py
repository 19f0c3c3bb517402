"""What was learned from runs that diverged over a weekend."""

import logging

import torch

log = logging.getLogger("safety")


class GradientGuard:
    """Replaces what is not finite in a parameter's gradient, and tells of it."""

    def __init__(self, model, names=("weight",)):
        self.handles = []
        for name, parameter in model.named_parameters():
            if name.endswith(names):
                self.handles.append(parameter.register_hook(self.checked))

    def checked(self, gradient):
        if not torch.isfinite(gradient).all():
            log.warning("a gradient of shape %s is not finite", tuple(gradient.shape))
            return torch.nan_to_num(gradient)
        return gradient

    def close(self):
        for handle in self.handles:
            handle.remove()
