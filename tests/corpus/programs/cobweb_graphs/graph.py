"""A small bibliographic graph with three kinds of edges, and samples of it."""

import torch

NODES = 60
EDGES = {"cites": 110, "writes": 90, "topic": 70}


class HeteroGraph:
    def __init__(self, seed, channels=8, classes=3):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(classes, (NODES,), generator=g)
        self.x = torch.randn(NODES, channels, generator=g)
        self.x[:, :classes] += 2 * torch.eye(classes)[self.y]
        self.edge_index = {}
        for name, count in EDGES.items():
            source = torch.randint(NODES, (count,), generator=g)
            alike = (self.y[source].unsqueeze(1) == self.y).float() + 0.2
            target = torch.multinomial(alike, 1, generator=g).squeeze(1)
            self.edge_index[name] = torch.stack([source, target])
        self.train_mask = torch.rand(NODES, generator=g) < 0.7


def relation_stream(graph, steps, seed):
    """The relations of each step as they come from the edge store."""
    g = torch.Generator().manual_seed(seed)
    names = list(graph.edge_index)
    for _ in range(steps):
        arrived = torch.randperm(len(names), generator=g).tolist()
        yield {names[i]: graph.edge_index[names[i]] for i in arrived}
