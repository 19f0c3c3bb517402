import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.project = nn.Linear(width, width)

    def forward(self, words):
        return self.project(torch.tanh(self.table(words)).mean(1))
