"""Autocast that is entered in a compiled function keeps its graph out of AOTAutogradCache.

Look for: at each start AOTAutogradCache is bypassed for `step`.
"""

import torch

net = torch.nn.Linear(4, 2)


@torch.compile
def step(x):
    with torch.autocast("cpu", dtype=torch.bfloat16):  # <- CA627
        return net(x)


step(torch.ones(6, 4)).sum().backward()
