"""Is the projection about to collapse? Watches how the gradient of a weight is spread."""

import torch


class SpreadWatch:
    def __init__(self, rows):
        self.energy = torch.zeros(rows)

    def attach(self, weight):
        self.energy.zero_()
        return weight.register_hook(self._note)

    def _note(self, grad):
        self.energy.add_(grad.detach().square().sum(dim=1))

    def effective_rows(self):
        share = self.energy / self.energy.sum().clamp_min(1e-12)
        return torch.exp(-(share * share.clamp_min(1e-12).log()).sum()).item()
