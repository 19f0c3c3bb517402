import torch
from torch import nn


class PreBackward(torch.autograd.Function):
    """identity; calls the module's hook before its backward runs"""

    @staticmethod
    def forward(ctx, module, hook, out):
        ctx.module, ctx.hook = module, hook
        return out.view_as(out)

    @staticmethod
    def backward(ctx, grad):
        ctx.hook(ctx.module)
        return None, None, grad


class Partitioned(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.fetches = 0

    def forward(self, x):
        return PreBackward.apply(self, fetch_weights, self.inner(x))


def fetch_weights(module):
    # (a real run gathers the shards of module.inner here)
    module.fetches += 1


def wrap(inner):
    return Partitioned(inner)
