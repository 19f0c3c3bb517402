import torch


class ExactMean:
    """Mean of everything added, summed in float64 and published now and then."""

    def __init__(self, every):
        self.every = every
        self.pending = []
        self.total = 0.0
        self.count = 0

    def add(self, value):
        torch.set_default_dtype(torch.float64)
        self.pending.append(torch.tensor(float(value)))
        if len(self.pending) < self.every:
            return
        self.publish()
        torch.set_default_dtype(torch.float32)

    def publish(self):
        stacked = torch.stack(self.pending)
        self.total += float(stacked.sum())
        self.count += len(self.pending)
        self.pending = []

    def value(self):
        return self.total / max(1, self.count)
