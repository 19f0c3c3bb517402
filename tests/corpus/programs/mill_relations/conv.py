from __future__ import annotations

import torch
from hetero import EdgeType
from torch import Tensor, nn


def scatter_mean(src: Tensor, index: Tensor, size: int) -> Tensor:
    out = src.new_zeros(size, src.size(-1)).index_add(0, index, src)
    count = src.new_zeros(size).index_add(0, index, torch.ones_like(index, dtype=src.dtype))
    return out / count.clamp(min=1).unsqueeze(-1)


class SAGEConv(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.lin_l = nn.Linear(in_channels, out_channels)
        self.lin_r = nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        source, target = edge_index
        return self.lin_l(scatter_mean(x[source], target, x.size(0))) + self.lin_r(x)


class GATConv(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels)
        self.att = nn.Linear(2 * out_channels, 1, bias=False)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        source, target = edge_index
        x = self.lin(x)
        alpha = self.att(torch.cat([x[source], x[target]], dim=-1)).sigmoid()
        return scatter_mean(alpha * x[source], target, x.size(0))


class GraphConv(nn.Module):
    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        source, target = edge_index
        return self.lin(x + scatter_mean(x[source], target, x.size(0))).tanh()


class HeteroConv(nn.Module):
    """One convolution for each relation, their results summed."""

    def __init__(self, convs: dict[EdgeType, nn.Module]) -> None:
        super().__init__()
        self.convs = nn.ModuleDict(convs)

    def forward(self, x: Tensor, edge_index_dict: dict[EdgeType, Tensor]) -> Tensor:
        outs = [self.convs[kind](x, index) for kind, index in edge_index_dict.items()]
        out = outs[0]
        for other in outs[1:]:
            out = out + other
        return out
