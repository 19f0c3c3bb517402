"""Smoothed values, accuracies, and what is logged of gradients."""

from collections import defaultdict, deque

import torch


class SmoothedValue:
    def __init__(self, window=20):
        self.deque = deque(maxlen=window)

    def update(self, value):
        self.deque.append(float(value))

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()


class MetricLogger:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **values):
        for name, value in values.items():
            self.meters[name].update(value)

    def __str__(self):
        pairs = (f"{name}: {meter.median:.4f}" for name, meter in self.meters.items())
        return self.delimiter.join(pairs)

    def log_every(self, iterable, print_freq, header):
        for i, each in enumerate(iterable):
            yield i, each
            if i % print_freq == 0:
                print(f"{header} [{i}/{len(iterable)}]  {self}")


class GradientRecorder:
    """Norms of the gradients that pass through chosen parameters."""

    def __init__(self, model, names):
        self.parameters = {n: p for n, p in model.named_parameters() if n in names}
        self.norms = {}
        self.handles = []

    def __enter__(self):
        for name, parameter in self.parameters.items():
            self.norms[name] = torch.zeros(())
            self.handles.append(parameter.register_hook(self._recorder(name)))
        return self

    def _recorder(self, name):
        norm = self.norms[name]

        def hook(grad):
            norm.copy_(grad.norm())

        return hook

    def __exit__(self, *exc):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()


def accuracy(output, target, topk=(1,)):
    with torch.inference_mode():
        found = output.topk(max(topk), 1).indices.eq(target[:, None])
        return [100.0 * found[:, :k].any(1).float().mean() for k in topk]
