import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.Embedding(words, 6)
        self.out = nn.Linear(6, tags)

    def forward(self, words):
        return self.out(torch.tanh(self.embed(words)))
