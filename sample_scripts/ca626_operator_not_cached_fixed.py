"""The same, with the operator marked as safe to keep.

Look for: the second start takes the graph from the caches.
"""

import torch
import torch._inductor.config

torch._inductor.config.unsafe_marked_cacheable_functions = {"torch.ops.higher_order.cond": "1"}


@torch.compile
def step(x):
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))


print(step(torch.ones(6, 4)).shape)
