"""Callbacks of the forecasting team's trainer."""


class Callback:
    priority = 50

    def fit_begins(self, run):
        pass

    def batch_begins(self, run):
        pass

    def batch_ends(self, run):
        pass


class ClampGradients(Callback):
    """Element by element, as gusts make single gradients explode."""

    priority = 10

    def __init__(self, limit):
        self.limit = limit

    def batch_begins(self, run):
        for parameter in run.model.parameters():
            parameter.register_hook(self.clamped)

    def clamped(self, gradient):
        return gradient.clamp(-self.limit, self.limit)


class BlendIn(Callback):
    """From persistence to the network's own forecast."""

    def __init__(self, steps):
        self.steps = steps

    def batch_begins(self, run):
        run.blend = min(1.0, (run.step + 1) / self.steps)


class Progress(Callback):
    priority = 90

    def fit_begins(self, run):
        count = sum(p.numel() for p in run.model.parameters() if p.requires_grad)
        print(f"{count} parameters")

    def batch_ends(self, run):
        if run.step % 2 == 0:
            print(f"step {run.step}: {float(run.loss):.4f}")
