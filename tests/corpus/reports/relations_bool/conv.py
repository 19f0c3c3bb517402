"""A relational graph convolution."""
import torch
import torch.nn as nn


class RelConv(nn.Module):
    def __init__(self, width, relations):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(relations, width, width) * 0.1)
        self.root = nn.Linear(width, width)
        self.relations = relations

    def forward(self, x, edges, kind):
        out = self.root(x)
        for r in range(self.relations):
            picked = kind == r
            if bool(picked.any()):
                src, dst = edges[0], edges[1]
                sent = x[src] @ self.weight[r] * picked[:, None]
                out = out.index_add(0, dst, sent)
        return out
