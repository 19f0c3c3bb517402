"""The same, with autocast around the call.

Look for: the second start takes the graph from AOTAutogradCache.
"""

import torch

net = torch.nn.Linear(4, 2)


@torch.compile
def step(x):
    return net(x)


with torch.autocast("cpu", dtype=torch.bfloat16):
    y = step(torch.ones(6, 4))
y.sum().backward()
