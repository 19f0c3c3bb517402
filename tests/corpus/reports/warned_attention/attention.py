import warnings
from typing import NamedTuple

import torch


class Aux(NamedTuple):
    lse: torch.Tensor


def attention(q, k, v, return_lse=False, return_aux=False):
    if return_lse:
        warnings.warn("return_lse is deprecated, use return_aux", FutureWarning, stacklevel=2)
    score = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    future = torch.ones(score.shape[-2:], dtype=torch.bool).triu(1)
    score = score.masked_fill(future, float("-inf"))
    out = score.softmax(-1) @ v
    if return_lse:
        return out, score.logsumexp(-1)
    return (out, Aux(score.logsumexp(-1))) if return_aux else out
