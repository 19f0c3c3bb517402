"""Skip-gram over walks."""

import torch
from torch import nn
from torch.nn import functional


class NodeEmbedding(nn.Module):
    def __init__(self, nodes, width=8, *, sparse=True):
        super().__init__()
        self.nodes = nn.Embedding(nodes, width, sparse=sparse)
        self.project = nn.Linear(width, width, bias=False)

    def forward(self, walks, negatives):
        center = self.project(self.nodes(walks[:, :1]))
        near = self.nodes(walks[:, 1:])
        far = self.nodes(negatives)
        close = functional.logsigmoid((center * near).sum(-1)).mean()
        apart = functional.logsigmoid(-(center * far).sum(-1)).mean()
        return -close - apart


def optimizers_of(model):
    if model.nodes.sparse:
        rows = torch.optim.SparseAdam(model.nodes.parameters(), lr=0.05)
    else:
        rows = torch.optim.Adam(model.nodes.parameters(), lr=0.05)
    return [rows, torch.optim.SGD(model.project.parameters(), lr=0.05)]
