import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 2 * dim)
        self.down = nn.Linear(2 * dim, dim)

    def forward(self, x):
        h = self.norm(x)
        logger.info("layer input %s", tuple(x.shape))
        return x + self.down(torch.relu(self.up(h)))


class Decoder(nn.Module):
    def __init__(self, layers, dim, vocab=50):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList([Layer(dim) for _ in range(layers)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
