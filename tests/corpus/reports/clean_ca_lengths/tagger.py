import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, vocab, dim, tags):
        super().__init__()
        self.embed, self.mid, self.out = nn.Embedding(vocab, dim), nn.Linear(dim, dim), nn.Linear(dim, tags)

    def forward(self, tokens):
        return self.out(torch.relu(self.mid(self.embed(tokens))))
