"""A graph pass without a `uuid()` keeps each graph out of torch's caches.

Look for: at each start both caches are bypassed for `step`.
"""

import torch
import torch._inductor.config


def count_nodes(graph):
    print(len(graph.nodes), "nodes")


torch._inductor.config.post_grad_custom_post_pass = count_nodes  # <- CA623


@torch.compile
def step(x, weight):
    return torch.relu(x @ weight)


x, weight = torch.ones(6, 4, requires_grad=True), torch.ones(4, 4, requires_grad=True)
step(x, weight).sum().backward()
