"""Molecules as graphs, and batches of them as one big graph."""

from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader


@dataclass
class Data:
    x: torch.Tensor
    edge_index: torch.Tensor
    y: torch.Tensor


@dataclass
class Batch(Data):
    batch: torch.Tensor
    num_graphs: int

    @classmethod
    def from_data_list(cls, molecules):
        offsets = torch.tensor([0] + [len(one.x) for one in molecules]).cumsum(0)
        edges = [one.edge_index + offset for one, offset in zip(molecules, offsets, strict=False)]
        return cls(
            x=torch.cat([one.x for one in molecules]),
            edge_index=torch.cat(edges, dim=1),
            y=torch.stack([one.y for one in molecules]),
            batch=torch.repeat_interleave(torch.arange(len(molecules)), offsets.diff()),
            num_graphs=len(molecules),
        )


def molecule(features):
    atoms = int(torch.randint(4, 10, ()))
    chain = torch.arange(atoms - 1)
    ring = torch.tensor([[atoms - 1], [0]])
    bonds = torch.cat([torch.stack([chain, chain + 1]), ring], dim=1)
    x = torch.randn(atoms, features)
    return Data(x, torch.cat([bonds, bonds.flip(0)], dim=1), x.sin().sum())


def molecule_loader(count, features, batch_size):
    molecules = [molecule(features) for _ in range(count)]
    return DataLoader(
        molecules, batch_size, shuffle=True, drop_last=True, collate_fn=Batch.from_data_list
    )
