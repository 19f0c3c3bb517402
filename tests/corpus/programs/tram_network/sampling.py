"""Leaves out edges while training, as trams are now and then."""

import torch
from torch import nn


class DropEdges(nn.Module):
    def __init__(self, share=0.1):
        super().__init__()
        self.share = share

    def forward(self, edges, weights):
        if not self.training or self.share == 0:
            return edges, weights
        kept = torch.rand(edges.shape[1]) >= self.share
        return edges[:, kept], weights[kept]
