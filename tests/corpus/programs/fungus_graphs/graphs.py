"""Molecules of fungi as graphs, and batches of them."""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class Batch:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_weight: torch.Tensor
    batch: torch.Tensor
    y: torch.Tensor


def random_graph(rng, nodes=10, edges=24, features=5):
    x = rng.standard_normal((nodes, features)).astype(np.float32)
    edge_index = rng.integers(0, nodes, (2, edges))
    return x, edge_index, np.tanh(x[:, 0]).sum().astype(np.float32)


def bond_strengths(rng, edges, measured):
    """Measured strengths where there are some, and one for each bond elsewhere."""
    if measured:
        return torch.from_numpy(rng.gamma(4.0, 0.25, edges))
    return torch.ones(edges)


def collate(graphs, rng, measured):
    nodes = graphs[0][0].shape[0]
    x = torch.from_numpy(np.concatenate([graph[0] for graph in graphs]))
    edge_index = torch.from_numpy(
        np.concatenate([graph[1] + i * nodes for i, graph in enumerate(graphs)], axis=1)
    )
    return Batch(
        x=x,
        edge_index=edge_index,
        edge_weight=bond_strengths(rng, edge_index.size(1), measured),
        batch=torch.arange(len(graphs)).repeat_interleave(nodes),
        y=torch.tensor([graph[2] for graph in graphs]),
    )


class Loader:
    def __init__(self, count, batch_size, seed):
        self.rng = np.random.default_rng(seed)
        self.graphs = [random_graph(self.rng) for _ in range(count)]
        self.batch_size = batch_size

    def __iter__(self):
        order = self.rng.permutation(len(self.graphs))
        for turn, start in enumerate(range(0, len(order), self.batch_size)):
            chosen = [self.graphs[i] for i in order[start : start + self.batch_size]]
            yield collate(chosen, self.rng, measured=turn % 3 == 2)
