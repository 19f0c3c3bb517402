"""A text encoder whose embeddings may be cut."""

import torch
from torch import nn
from torch.nn import functional


class BagEncoder(nn.Module):
    def __init__(self, vocabulary=50, width=24, out=32):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocabulary, width)
        self.project = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, out))

    def forward(self, tokens):
        return self.project(self.embed(tokens))


def truncated(vectors, dim):
    """The first `dim` coordinates, of length one again."""
    return functional.normalize(vectors[:, :dim], dim=-1)


def info_nce(queries, documents, temperature=0.1):
    scores = queries @ documents.t() / temperature
    return functional.cross_entropy(scores, torch.arange(len(queries)))
