import torch


class ConfusionMatrix:
    def __init__(self, num_classes):
        self.mat = torch.zeros(num_classes, num_classes, dtype=torch.int64)

    def update(self, a, b):
        n = len(self.mat)
        k = (a >= 0) & (a < n)
        self.mat += torch.bincount(n * a[k] + b[k], minlength=n**2).reshape(n, n)

    def compute(self):
        h = self.mat.float()
        acc = h.diag().sum() / h.sum()
        iu = h.diag() / (h.sum(1) + h.sum(0) - h.diag())
        return acc.item(), iu.mean().item()


class SmoothedValue:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value):
        self.total += value
        self.count += 1

    @property
    def avg(self):
        return self.total / max(1, self.count)
