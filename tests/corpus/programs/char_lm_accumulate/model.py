"""A small causal convolutional language model."""

from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mix = nn.Conv1d(width, width, 4)
        self.project = nn.Linear(width, width)

    def forward(self, x):
        past = functional.pad(self.norm(x).transpose(1, 2), (3, 0))
        return x + self.project(functional.gelu(self.mix(past).transpose(1, 2)))


class CharModel(nn.Module):
    def __init__(self, vocabulary, width=24, depth=1):
        super().__init__()
        self.token = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, vocabulary)

    def forward(self, codes):
        return self.head(self.blocks(self.token(codes)))
