"""Aggregations of messages. The extremum needs the argument for its backward."""

import torch
from torch import Tensor


def scatter_sum(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    return src.new_zeros(dim_size, src.shape[1]).index_add(0, index, src)


def scatter_max(src: Tensor, index: Tensor, dim_size: int) -> Tensor:
    """Gradients go to every message that attains the maximum, in equal parts."""
    spread = index.unsqueeze(1).expand_as(src)

    class ScatterMax(torch.autograd.Function):
        @staticmethod
        def forward(ctx, src):
            out = src.new_full((dim_size, src.shape[1]), float("-inf"))
            out = out.scatter_reduce(0, spread, src, "amax")
            hit = (src == out.gather(0, spread)).to(src.dtype)
            ctx.save_for_backward(hit, spread)
            return out.masked_fill(out == float("-inf"), 0.0)

        @staticmethod
        def backward(ctx, grad):
            hit, spread = ctx.saved_tensors
            ties = grad.new_zeros(grad.shape).scatter_add(0, spread, hit).clamp(min=1)
            return hit * (grad / ties).gather(0, spread)

    return ScatterMax.apply(src)


AGGREGATIONS = {"sum": scatter_sum, "max": scatter_max}


def global_add_pool(x: Tensor, batch: Tensor, size: int) -> Tensor:
    return scatter_sum(x, batch, size)
