"""The same, with a pass that says which code it is.

Look for: the second start takes the graph from the caches.
"""

import torch
import torch._inductor.config
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files


class CountNodes(CustomGraphPass):
    def __call__(self, graph):
        print(len(graph.nodes), "nodes")

    def uuid(self):
        return get_hash_for_files((__file__,))


torch._inductor.config.post_grad_custom_post_pass = CountNodes()


@torch.compile
def step(x, weight):
    return torch.relu(x @ weight)


x, weight = torch.ones(6, 4, requires_grad=True), torch.ones(4, 4, requires_grad=True)
step(x, weight).sum().backward()
