"""Quantiles by NumPy, as an operator that a graph can hold."""

import numpy as np
import torch


@torch.library.custom_op("pebbles::quantile", mutates_args=())
def quantile(values: torch.Tensor, share: float) -> torch.Tensor:
    found = np.quantile(values.numpy(), share, axis=-1)
    return torch.from_numpy(np.asarray(found)).to(values.dtype)


@quantile.register_fake
def _(values, share):
    return values.new_empty(values.shape[:-1])
