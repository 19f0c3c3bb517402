"""Graphs of water mills: who owns, feeds and neighbours whom."""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
from torch import Tensor

EdgeType = str
RELATIONS: dict[EdgeType, int] = {"feeds": 14, "owns": 9, "borders": 18}


@dataclass
class HeteroData:
    x: Tensor
    y: Tensor
    edge_index_dict: dict[EdgeType, Tensor]

    @property
    def num_nodes(self) -> int:
        return self.x.size(0)


class MillRecords:
    """Records as they were written down: an edge a line, relations mixed."""

    def __init__(self, graphs: int, nodes: int, features: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.graphs, self.nodes, self.features = graphs, nodes, features
        self.mapping = torch.randn(features, generator=self.generator)

    def lines(self) -> list[tuple[EdgeType, int, int]]:
        found = [
            (relation, self.rng.randrange(self.nodes), self.rng.randrange(self.nodes))
            for relation, count in RELATIONS.items()
            for _ in range(count)
        ]
        self.rng.shuffle(found)
        return found

    def graph(self) -> HeteroData:
        edges: dict[EdgeType, list[tuple[int, int]]] = {}
        for relation, source, target in self.lines():
            edges.setdefault(relation, []).append((source, target))
        x = torch.randn(self.nodes, self.features, generator=self.generator)
        index = {relation: torch.tensor(pairs).t() for relation, pairs in edges.items()}
        y = x @ self.mapping
        source, target = index["feeds"]
        y = y + torch.zeros_like(y).index_add(0, target, 0.5 * x[source].sum(-1))
        return HeteroData(x, y, index)

    def __iter__(self):
        return (self.graph() for _ in range(self.graphs))
