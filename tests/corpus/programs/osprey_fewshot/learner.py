import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, dim=12, width=16):
        super().__init__()
        self.first = nn.Linear(dim, width)
        self.second = nn.Linear(width, width)

    def forward(self, x):
        return F.normalize(self.second(F.relu(self.first(x))), dim=-1)


def scale_gradient(x, factor):
    """The identity, whose gradient is multiplied."""

    class ScaleGradient(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad * factor

    return ScaleGradient.apply(x)


class InnerLoop(nn.Module):
    """Almost no inner loop: only the head is adapted, by gradients that are written out."""

    def __init__(self, ways, width=16, encoder_factor=0.5):
        super().__init__()
        self.ways, self.encoder_factor = ways, encoder_factor
        self.encoder = Encoder(width=width)
        self.start = nn.Parameter(0.01 * torch.randn(width, ways))
        self.log_lr = nn.Parameter(torch.tensor(0.0))

    def adapt(self, support, labels, steps):
        head = self.start
        targets = F.one_hot(labels, self.ways).float()
        for _ in range(steps):
            wrong = (support @ head).softmax(-1) - targets
            head = head - self.log_lr.exp() * support.t() @ wrong / len(support)
        return head

    def forward(self, support, labels, query, steps):
        support = self.encoder(support)
        query = scale_gradient(self.encoder(query), self.encoder_factor)
        head = self.adapt(support, labels, steps)
        return 8.0 * query @ head
