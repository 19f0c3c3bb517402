"""Neighbor sampling on a citation graph."""

import random
from collections import namedtuple

import torch

Subgraph = namedtuple("Subgraph", "x edge_index y batch_size")


class PaperGraph:
    def __init__(self, num_papers=300, num_features=12, num_classes=4, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(num_papers, num_features, generator=g)
        self.y = torch.randint(0, num_classes, (num_papers,), generator=g)
        rng = random.Random(seed)
        self.neighbors = [
            rng.sample(range(num_papers), rng.randint(1, 9)) for _ in range(num_papers)
        ]


class NeighborSampler:
    """Yields a subgraph of some papers and of what they cite, two hops away."""

    def __init__(self, graph, batch_size, fanouts=(5, 3), seed=1):
        self.graph, self.batch_size, self.fanouts = graph, batch_size, fanouts
        self.rng = random.Random(seed)

    def __len__(self):
        return len(self.graph.y) // self.batch_size

    def sample(self, seeds):
        index = {paper: i for i, paper in enumerate(seeds)}
        edges, frontier = [], list(seeds)
        for fanout in self.fanouts:
            following = []
            for paper in frontier:
                cited = self.graph.neighbors[paper]
                for other in self.rng.sample(cited, min(fanout, len(cited))):
                    if other not in index:
                        index[other] = len(index)
                        following.append(other)
                    edges.append((index[other], index[paper]))
            frontier = following
        nodes = torch.tensor(list(index))
        return Subgraph(
            self.graph.x[nodes], torch.tensor(edges).T, self.graph.y[list(seeds)], len(seeds)
        )

    def __iter__(self):
        papers = list(range(len(self.graph.y)))
        self.rng.shuffle(papers)
        for i in range(len(self)):
            yield self.sample(papers[i * self.batch_size : (i + 1) * self.batch_size])
