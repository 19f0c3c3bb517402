"""A citation graph with papers of three fields, and neighbours sampled from it."""

from dataclasses import dataclass

import torch


@dataclass
class Graph:
    features: torch.Tensor
    fields: torch.Tensor
    neighbours: torch.Tensor

    @classmethod
    def random(cls, papers=70, width=12, fields=3, cited=6):
        field = torch.randint(0, fields, (papers,))
        features = torch.randn(fields, width)[field] + 0.4 * torch.randn(papers, width)
        return cls(features, field, torch.randint(0, papers, (papers, cited)))


class NeighbourSampler:
    """Yields papers, and for each a fixed number of papers that it cites."""

    def __init__(self, graph, batch_size, fanout):
        self.graph = graph
        self.batch_size = batch_size
        self.fanout = fanout

    def __iter__(self):
        order = torch.randperm(len(self.graph.fields))
        for begin in range(0, len(order), self.batch_size):
            papers = order[begin : begin + self.batch_size]
            cited = self.graph.neighbours[papers]
            picks = torch.randint(0, cited.shape[1], (len(papers), self.fanout))
            yield papers, cited.gather(1, picks)
