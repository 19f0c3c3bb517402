"""What wandb.watch does, by hand: histograms of gradients now and then."""

import torch


class GradientHistogram:
    def __init__(self, model, log_freq=4, bins=8):
        self.params = [(n, p) for n, p in model.named_parameters() if p.ndim > 1]
        self.log_freq, self.bins = log_freq, bins
        self.counts = {name: torch.zeros(bins) for name, _ in self.params}
        self.handles = []

    def _record(self, name, grad):
        bounds = torch.linspace(-6, 0, self.bins - 1)
        place = torch.bucketize(grad.abs().clamp_min(1e-8).log10(), bounds).flatten()
        one_hot = (place[:, None] == torch.arange(self.bins)).float()
        self.counts[name] += one_hot.sum(0)

    def before_backward(self, num_updates):
        if num_updates % self.log_freq:
            return
        for name, param in self.params:
            self.handles.append(param.register_hook(lambda g, name=name: self._record(name, g)))

    def after_backward(self):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    def summary(self):
        return {name: counts.argmax().item() for name, counts in self.counts.items()}
