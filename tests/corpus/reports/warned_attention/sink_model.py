import torch
from attention import attention
from torch import nn


class SinkLayer(nn.Module):
    """attention with a learnt sink: scaled by how much the sink takes"""

    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.sink = nn.Parameter(torch.zeros(()))
        self.mlp = nn.Linear(dim, dim)

    def forward(self, x):
        out, lse = attention(*self.qkv(x).chunk(3, -1), return_lse=True)
        x = x + out * torch.sigmoid(lse - self.sink)[..., None]
        return x + torch.tanh(self.mlp(x))


class SinkModel(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([SinkLayer(dim) for _ in range(layers)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
