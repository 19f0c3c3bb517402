from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Data:
    x: Tensor
    edge_index: Tensor
    edge_mask: Tensor
    y: Tensor
    train_mask: Tensor


def coauthors(num_nodes: int = 60, num_features: int = 12, num_classes: int = 4) -> Data:
    y = torch.randint(0, num_classes, (num_nodes,))
    x = torch.randn(num_nodes, num_features)
    x[torch.arange(num_nodes), y] += 1.0
    src, dst = torch.randint(0, num_nodes, (2, 6 * num_nodes))
    keep = (y[src] == y[dst]) | (torch.rand(src.numel()) < 0.2)
    edge_index = torch.stack([src[keep], dst[keep]])
    return Data(x, edge_index, torch.ones(edge_index.size(1)), y, torch.rand(num_nodes) < 0.7)


class PaddedNeighborLoader:
    r"""Draws seed nodes and the edges among them and their neighbors, filled up to
    :obj:`max_nodes` and :obj:`max_edges` with a node and edges that do not count."""

    def __init__(self, data: Data, batch_size: int, max_nodes: int = 40, max_edges: int = 64):
        self.data, self.batch_size = data, batch_size
        self.max_nodes, self.max_edges = max_nodes, max_edges

    def __len__(self) -> int:
        return (self.data.x.size(0) + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        for seeds in torch.randperm(self.data.x.size(0)).split(self.batch_size):
            yield self.sample(seeds)

    def sample(self, seeds: Tensor) -> Data:
        data = self.data
        src, dst = data.edge_index
        hop = torch.isin(dst, seeds).nonzero().flatten()[: self.max_edges]
        around = src[hop][~torch.isin(src[hop], seeds)].unique()
        nodes = torch.cat([seeds, around])[: self.max_nodes - 1]
        local = torch.full((data.x.size(0),), self.max_nodes - 1)
        local[nodes] = torch.arange(nodes.numel())

        x = data.x.new_zeros(self.max_nodes, data.x.size(1))
        x[: nodes.numel()] = data.x[nodes]
        y = torch.zeros(self.max_nodes, dtype=torch.long)
        y[: nodes.numel()] = data.y[nodes]
        edge_index = torch.full((2, self.max_edges), self.max_nodes - 1)
        edge_index[:, : hop.numel()] = torch.stack([local[src[hop]], local[dst[hop]]])
        edge_mask = torch.zeros(self.max_edges)
        edge_mask[: hop.numel()] = 1.0
        train_mask = torch.zeros(self.max_nodes, dtype=torch.bool)
        train_mask[: seeds.numel()] = data.train_mask[seeds]
        return Data(x, edge_index, edge_mask, y, train_mask)
