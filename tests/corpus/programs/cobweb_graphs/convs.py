import torch
import torch.nn.functional as F
from torch import nn


def scatter_mean(messages, index, size):
    out = messages.new_zeros(size, messages.size(1)).index_add(0, index, messages)
    count = messages.new_zeros(size).index_add(0, index, messages.new_ones(len(index)))
    return out / count.clamp(min=1).unsqueeze(1)


class MeanConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def forward(self, x, edge_index):
        source, target = edge_index
        return self.lin(scatter_mean(x.index_select(0, source), target, len(x)))


class GatedConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gate = nn.Linear(2 * dim, dim)

    def forward(self, x, edge_index):
        source, target = edge_index
        there, here = x.index_select(0, source), x.index_select(0, target)
        gate = torch.sigmoid(self.gate(torch.cat([there, here], dim=1)))
        return scatter_mean(gate * there, target, len(x))


class EdgeConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, x, edge_index):
        source, target = edge_index
        difference = x.index_select(0, source) - x.index_select(0, target)
        return scatter_mean(self.mlp(difference), target, len(x))


class HeteroLayer(nn.Module):
    def __init__(self, convs):
        super().__init__()
        self.convs = nn.ModuleDict(convs)

    def forward(self, x, edge_index_dict):
        out = x
        for name, edge_index in edge_index_dict.items():
            out = out + self.convs[name](x, edge_index)
        return F.relu(out)


class HeteroGNN(nn.Module):
    def __init__(self, channels, hidden, classes, layers=1):
        super().__init__()
        self.embed = nn.Linear(channels, hidden)
        self.layers = nn.ModuleList(
            HeteroLayer(
                {
                    "cites": MeanConv(hidden),
                    "writes": GatedConv(hidden),
                    "topic": EdgeConv(hidden),
                }
            )
            for _ in range(layers)
        )
        self.head = nn.Linear(hidden, classes)

    def forward(self, x, edge_index_dict):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x, edge_index_dict)
        return self.head(x)
