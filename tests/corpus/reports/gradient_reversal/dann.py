import torch
from torch import nn


class GradReverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lambd):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.lambd * grad, None


class DANN(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(dim, 16), nn.ReLU())
        self.classifier = nn.Linear(16, 2)
        self.domain = nn.Linear(16, 2)

    def forward(self, x, lambd):
        f = self.features(x)
        return self.classifier(f), self.domain(GradReverse.apply(f, lambd))
