"""A causal language model with one block."""

from torch import nn
from torch.nn import functional


class StoryModel(nn.Module):
    def __init__(self, vocabulary=32, width=24, heads=2, context=32):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.02 * nn.Embedding(context, width).weight.detach())
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        rows, length = tokens.shape
        hidden = self.tokens(tokens) + self.places[:length]
        parts = self.qkv(self.norm(hidden)).view(rows, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(hidden + mixed.transpose(1, 2).flatten(2))
