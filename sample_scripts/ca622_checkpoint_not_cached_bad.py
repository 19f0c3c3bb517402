"""A checkpoint's policy without a `cache_hash` keeps the graph out of AOTAutogradCache.

Look for: at each start AOTAutogradCache is bypassed for `step`.
"""

import functools

import torch
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)


def policy(ctx, operation, *args, **kwargs):
    is_product = operation is torch.ops.aten.mm.default
    return CheckpointPolicy.MUST_SAVE if is_product else CheckpointPolicy.PREFER_RECOMPUTE


contexts = functools.partial(create_selective_checkpoint_contexts, policy)


def block(x, weight):
    return torch.sin(x @ weight)


@torch.compile
def step(x, weight):
    return checkpoint(block, x, weight, use_reentrant=False, context_fn=contexts)  # <- CA622


x, weight = torch.ones(6, 4, requires_grad=True), torch.ones(4, 4, requires_grad=True)
step(x, weight).sum().backward()
