from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn import Linear, Module, ModuleList


class SAGEConv(Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.lin_l = Linear(in_channels, out_channels)
        self.lin_r = Linear(in_channels, out_channels, bias=False)

    def forward(self, x: Tensor, edge_index: Tensor, edge_mask: Tensor) -> Tensor:
        src, dst = edge_index
        message = x.index_select(0, src) * edge_mask.unsqueeze(-1)
        total = torch.zeros_like(x).index_add(0, dst, message)
        degree = torch.zeros(x.size(0)).index_add(0, dst, edge_mask).clamp(min=1)
        return self.lin_l(total / degree.unsqueeze(-1)) + self.lin_r(x)


class SAGE(Module):
    def __init__(self, in_channels: int, hidden: int, out_channels: int, num_layers: int = 2):
        super().__init__()
        sizes = [in_channels] + [hidden] * (num_layers - 1) + [out_channels]
        self.convs = ModuleList(SAGEConv(i, o) for i, o in pairwise(sizes))
        self.skip_weight = 1.0
        self.calls = 0

    def forward(self, x: Tensor, edge_index: Tensor, edge_mask: Tensor) -> Tensor:
        self.calls += 1
        for i, conv in enumerate(self.convs):
            h = conv(x, edge_index, edge_mask)
            if i < len(self.convs) - 1:
                h = F.relu(h)
                h = F.dropout(h, p=0.3, training=self.training)
            if h.shape == x.shape:
                h = h + self.skip_weight * x
            x = h
        return x.log_softmax(dim=-1)
