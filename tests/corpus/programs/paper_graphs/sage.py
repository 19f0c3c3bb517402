"""GraphSAGE with mean aggregation."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class SAGEConv(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.lin_l = nn.Linear(c_in, c_out)
        self.lin_r = nn.Linear(c_in, c_out, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        messages = torch.zeros_like(x).index_add(0, dst, x[src])
        degree = torch.zeros(len(x)).index_add(0, dst, torch.ones(len(dst))).clamp(min=1)
        return self.lin_l(messages / degree[:, None]) + self.lin_r(x)


class GraphSAGE(nn.Module):
    def __init__(self, c_in=12, hidden=16, num_classes=4, dropout=0.5):
        super().__init__()
        self.conv1 = SAGEConv(c_in, hidden)
        self.conv2 = SAGEConv(hidden, num_classes)
        self.dropout = dropout

    def forward(self, x, edge_index):
        x = F.relu(self.conv1(x, edge_index))
        x = F.dropout(x, p=self.dropout, training=self.training)
        return self.conv2(x, edge_index)
