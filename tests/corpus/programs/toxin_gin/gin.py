import torch
import torch.nn.functional as F
from aggr import AGGREGATIONS, global_add_pool
from molecules import ATOM_TYPES, BOND_TYPES, Batch
from torch import Tensor, nn


class GINEConv(nn.Module):
    def __init__(self, channels: int, aggr: str = "sum") -> None:
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(()))
        self.bond = nn.Embedding(BOND_TYPES, channels)
        self.aggr = AGGREGATIONS[aggr]
        self.mlp = nn.Sequential(
            nn.Linear(channels, 2 * channels), nn.ReLU(), nn.Linear(2 * channels, channels)
        )

    def forward(self, x: Tensor, edge_index: Tensor, edge_type: Tensor) -> Tensor:
        source, target = edge_index
        messages = F.relu(x[source] + self.bond(edge_type))
        out = self.aggr(messages, target, x.shape[0])
        return self.mlp((1 + self.eps) * x + out)


class ToxNet(nn.Module):
    def __init__(self, channels: int = 16, aggrs: tuple[str, ...] = ("sum", "max")) -> None:
        super().__init__()
        self.atom = nn.Embedding(ATOM_TYPES, channels)
        self.convs = nn.ModuleList(GINEConv(channels, aggr) for aggr in aggrs)
        self.norms = nn.ModuleList(nn.LayerNorm(channels) for _ in aggrs)
        self.out = nn.Linear(channels, 1)

    def forward(self, data: Batch, atoms: Tensor | None = None) -> Tensor:
        x = self.atom(data.z) if atoms is None else atoms
        for conv, norm in zip(self.convs, self.norms, strict=True):
            x = x + F.silu(norm(conv(x, data.edge_index, data.edge_type)))
        pooled = global_add_pool(x, data.batch, data.num_graphs + 1)
        return self.out(pooled[:-1]).squeeze(-1)
