"""The same, with leave to cache custom autograd Functions.

Look for: the second start takes the graph from AOTAutogradCache.
"""

import torch
import torch._functorch.config

torch._functorch.config.autograd_cache_allow_custom_autograd_functions = True


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@torch.compile
def step(x):
    return Double.apply(x).sin()


step(torch.ones(6, 4, requires_grad=True)).sum().backward()
