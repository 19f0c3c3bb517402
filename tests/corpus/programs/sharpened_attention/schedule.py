"""Callbacks that set something on modules as training goes on."""

from attention import Attention


class Sharpen:
    def __init__(self, model, final, steps):
        self.modules = [one for one in model.modules() if isinstance(one, Attention)]
        self.final, self.steps = final, steps

    def __call__(self, step):
        for module in self.modules:
            module.sharpness = 1.0 + (self.final - 1.0) * min(step / self.steps, 1.0)


class WarmUp:
    def __init__(self, optimizer, steps):
        self.optimizer, self.steps = optimizer, steps
        self.peaks = [group["lr"] for group in optimizer.param_groups]

    def __call__(self, step):
        for group, peak in zip(self.optimizer.param_groups, self.peaks, strict=True):
            group["lr"] = peak * min(1.0, (step + 1) / self.steps)
