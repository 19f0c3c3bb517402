"""Callbacks of the loop."""


class Thaw:
    """Frees parts of the model at the start of the epochs that are named."""

    def __init__(self, plan):
        self.plan = plan

    def begin(self, model):
        for name in self.plan.values():
            getattr(model, name).requires_grad_(False)

    def on_epoch(self, model, epoch):
        if epoch in self.plan:
            getattr(model, self.plan[epoch]).requires_grad_(True)
