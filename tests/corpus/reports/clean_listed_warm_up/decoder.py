import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.books = nn.Embedding(4, width)
        self.mix = nn.Linear(width, width)

    def forward(self, x, book):
        return torch.tanh(self.mix(x + self.books(book)))
