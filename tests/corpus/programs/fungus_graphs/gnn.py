import itertools

import torch
from message_passing import GraphConv, global_mean_pool


class Net(torch.nn.Module):
    def __init__(self, in_channels, hidden, num_layers=2):
        super().__init__()
        widths = [in_channels] + [hidden] * num_layers
        self.convs = torch.nn.ModuleList(GraphConv(a, b) for a, b in itertools.pairwise(widths))
        self.out = torch.nn.Linear(hidden, 1)

    def forward(self, x, edge_index, edge_weight, batch):
        for conv in self.convs:
            x = conv(x, edge_index, edge_weight).relu()
        return self.out(global_mean_pool(x, batch)).squeeze(-1)
