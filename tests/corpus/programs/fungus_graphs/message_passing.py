"""Convolutions on graphs, and pooling of nodes."""

import torch
from torch import nn


def scatter_add(src, index, dim_size):
    out = src.new_zeros(dim_size, src.size(-1))
    return out.index_add(0, index, src)


def gcn_norm(edge_index, edge_weight, num_nodes):
    row, col = edge_index
    deg = torch.ones(num_nodes).index_add(0, col, edge_weight.to(torch.float32))
    inverse = deg.rsqrt()
    return inverse[row] * edge_weight * inverse[col]


class GraphConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.root = nn.Linear(in_channels, out_channels)

    def forward(self, x, edge_index, edge_weight):
        row, col = edge_index
        norm = gcn_norm(edge_index, edge_weight, x.size(0)).to(x.dtype)
        messages = norm.unsqueeze(-1) * self.lin(x)[row]
        return self.root(x) + scatter_add(messages, col, x.size(0))


def global_mean_pool(x, batch):
    size = int(batch.max()) + 1
    total = scatter_add(x, batch, size)
    count = scatter_add(torch.ones_like(x[:, :1]), batch, size)
    return total / count.clamp(min=1)
