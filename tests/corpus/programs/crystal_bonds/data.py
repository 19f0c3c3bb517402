"""Crystals as graphs, in the manner of torch_geometric but without it."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset


@dataclass
class Data:
    z: Tensor  # [nodes], atomic numbers
    edge_index: Tensor  # [2, edges]
    edge_attr: Tensor  # [edges, rbf]
    y: Tensor  # [1], formation energy

    @property
    def num_nodes(self) -> int:
        return self.z.numel()


@dataclass
class Batch(Data):
    batch: Tensor  # [nodes], number of the graph
    num_graphs: int

    @classmethod
    def from_data_list(cls, graphs: list[Data]) -> "Batch":
        counts = torch.tensor([g.num_nodes for g in graphs])
        offsets = counts.cumsum(0) - counts
        merged = {f.name: torch.cat([getattr(g, f.name) for g in graphs]) for f in fields(Data)
                  if f.name != "edge_index"}  # fmt: skip
        edges = [g.edge_index + shift for g, shift in zip(graphs, offsets, strict=True)]
        return cls(
            **merged,
            edge_index=torch.cat(edges, dim=1),
            batch=torch.arange(len(graphs)).repeat_interleave(counts),
            num_graphs=len(graphs),
        )


class RadiusGraph:
    """Edges between atoms nearer than the cutoff; distances in a radial basis."""

    def __init__(self, cutoff: float = 1.2, rbf: int = 6) -> None:
        self.cutoff, self.centers = cutoff, torch.linspace(0, cutoff, rbf)

    def __call__(self, z: Tensor, pos: Tensor) -> Data:
        dist = torch.cdist(pos, pos) + 10 * torch.eye(len(pos))
        edge_index = (dist < self.cutoff).nonzero().t()
        length = dist[edge_index[0], edge_index[1]]
        edge_attr = torch.exp(-4 * (length[:, None] - self.centers) ** 2)
        y = (0.1 * z.float().mean() - edge_attr.sum() / len(z) / 10).view(1)
        return Data(z, edge_index, edge_attr, y)


class Crystals(Dataset):
    def __init__(self, count: int, seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        build = RadiusGraph()
        self.graphs = []
        for _ in range(count):
            atoms = int(torch.randint(6, 14, (), generator=g))
            z = torch.randint(1, 20, (atoms,), generator=g)
            self.graphs.append(build(z, 1.5 * torch.rand(atoms, 3, generator=g)))

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, index: int) -> Data:
        return self.graphs[index]


def graph_loader(dataset: Crystals, batch_size: int, shuffle: bool = False) -> DataLoader:
    return DataLoader(dataset, batch_size, shuffle, collate_fn=Batch.from_data_list)
