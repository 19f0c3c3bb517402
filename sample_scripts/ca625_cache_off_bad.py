"""A setting left over from debugging turns the caches off.

Look for: at each start AOTAutogradCache is bypassed for `step`.
"""

import torch
import torch._inductor.config

torch._inductor.config.fx_graph_cache = False  # <- CA625


@torch.compile
def step(x):
    return torch.nn.functional.gelu(x).mean(1)


step(torch.ones(6, 4, requires_grad=True)).sum().backward()
