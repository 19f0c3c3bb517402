import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.kv = nn.Linear(width, 2 * width)
        self.head = nn.Linear(width, words)

    def prefill(self, prompt):
        keys, values = self.kv(self.embed(prompt)).chunk(2, -1)
        return keys.contiguous(), values.contiguous()

    def decode(self, word, keys, values):
        x = self.embed(word)
        key, value = self.kv(x).chunk(2, -1)
        weight = (keys @ x).softmax(0)
        mixed = x + weight @ values
        return self.head(torch.tanh(mixed)), key, value
