import copy

import torch


class GradientWatch:
    """Running mean of the norms of the items' gradients."""

    def __init__(self, parameter):
        self.total, self.count = torch.zeros(()), torch.zeros(())
        parameter.register_hook(self.note)

    def note(self, grad):
        self.total += grad.norm()
        self.count += 1
        return grad

    def report(self):
        return (self.total / self.count).item()


class Average:
    def __init__(self, model, decay=0.9):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model, step):
        decay = min(self.decay, (step + 1) / (step + 5))
        for kept, new in zip(self.model.parameters(), model.parameters(), strict=True):
            kept.mul_(decay).add_(new, alpha=1 - decay)


class Patience:
    def __init__(self, epochs):
        self.epochs, self.best, self.waited = epochs, float("-inf"), 0

    def exhausted(self, score):
        self.waited = 0 if score > self.best else self.waited + 1
        self.best = max(self.best, score)
        return self.waited >= self.epochs
