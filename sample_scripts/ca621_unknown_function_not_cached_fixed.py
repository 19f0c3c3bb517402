"""The same, with a word for the function's code.

Look for: the second start takes the graph from AOTAutogradCache.
"""

import torch
import torch._inductor.config

torch._inductor.config.unsafe_marked_cacheable_functions = {"__main__.scaled": "1"}


@torch.compiler.allow_in_graph
def scaled(x):
    return x * 3


@torch.compile
def step(x):
    return scaled(x).sin()


step(torch.ones(6, 4))
