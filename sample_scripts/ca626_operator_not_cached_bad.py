"""A higher-order operator keeps the graph out of torch's caches.

Look for: at each start the caches are bypassed for `step`.
"""

import torch


@torch.compile  # <- CA626
def step(x):
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))


print(step(torch.ones(6, 4)).shape)
