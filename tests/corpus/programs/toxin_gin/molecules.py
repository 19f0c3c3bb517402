"""Random molecules, collated into one graph of fixed capacity per batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

ATOM_TYPES, BOND_TYPES = 9, 3


@dataclass
class Data:
    z: Tensor
    edge_index: Tensor
    edge_type: Tensor
    y: Tensor

    @property
    def num_nodes(self) -> int:
        return self.z.numel()


@dataclass
class Batch(Data):
    batch: Tensor
    num_graphs: int


def molecule(generator: torch.Generator) -> Data:
    n = int(torch.randint(5, 11, (), generator=generator))
    z = torch.randint(1, ATOM_TYPES, (n,), generator=generator)
    # A chain, and one ring that closes it somewhere.
    row = torch.arange(n - 1)
    ring = torch.tensor([[0], [int(torch.randint(2, n, (), generator=generator))]])
    one_way = torch.cat([torch.stack([row, row + 1]), ring], 1)
    bonds = torch.randint(0, BOND_TYPES, (one_way.shape[1],), generator=generator)
    y = ((z == 3).sum() + (bonds == 2).sum() > 4).float()
    return Data(z, torch.cat([one_way, one_way.flip(0)], 1), bonds.repeat(2), y)


def collate(graphs: list[Data], max_nodes: int, max_edges: int) -> Batch:
    """Disjoint union; what is missing to the capacity goes to a dummy graph behind the others."""
    z = torch.zeros(max_nodes, dtype=torch.long)
    batch = torch.full((max_nodes,), len(graphs))
    edge_index = torch.full((2, max_edges), max_nodes - 1)
    edge_type = torch.zeros(max_edges, dtype=torch.long)
    nodes = edges = 0
    for i, graph in enumerate(graphs):
        stop, last = nodes + graph.num_nodes, edges + graph.edge_type.numel()
        z[nodes:stop], batch[nodes:stop] = graph.z, i
        edge_index[:, edges:last] = graph.edge_index + nodes
        edge_type[edges:last] = graph.edge_type
        nodes, edges = stop, last
    y = torch.stack([graph.y for graph in graphs])
    return Batch(z, edge_index, edge_type, y, batch, len(graphs))


class Loader:
    def __init__(self, dataset: list[Data], batch_size: int, shuffle: bool = True) -> None:
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.max_nodes, self.max_edges = 10 * batch_size + 1, 20 * batch_size

    def __iter__(self):
        count = len(self.dataset)
        order = torch.randperm(count) if self.shuffle else torch.arange(count)
        for chosen in order.split(self.batch_size):
            graphs = [self.dataset[i] for i in chosen.tolist()]
            yield collate(
                graphs, max_nodes=10 * self.batch_size + 1, max_edges=20 * self.batch_size
            )
