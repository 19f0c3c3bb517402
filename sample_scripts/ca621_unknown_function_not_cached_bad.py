"""A function that Dynamo puts into the graph as it is keeps it out of AOTAutogradCache.

Look for: at each start AOTAutogradCache is bypassed for `step`.
"""

import torch


@torch.compiler.allow_in_graph
def scaled(x):
    return x * 3


@torch.compile  # <- CA621
def step(x):
    return scaled(x).sin()


step(torch.ones(6, 4))
