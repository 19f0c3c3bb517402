"""The same, with a name for the policy.

Look for: the second start takes the graph from AOTAutogradCache.
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
contexts.cache_hash = "save matrix products, 1"


def block(x, weight):
    return torch.sin(x @ weight)


@torch.compile
def step(x, weight):
    return checkpoint(block, x, weight, use_reentrant=False, context_fn=contexts)


x, weight = torch.ones(6, 4, requires_grad=True), torch.ones(4, 4, requires_grad=True)
step(x, weight).sum().backward()
