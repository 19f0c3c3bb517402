import torch
from torch import nn


class TinyLM(nn.Module):
    def __init__(self, vocab, dim, out):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, out)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x + torch.tanh(self.mix(x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]))
        return self.head(x)
