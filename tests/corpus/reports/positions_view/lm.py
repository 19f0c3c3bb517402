import torch
from torch import nn


class Lm(nn.Module):
    def __init__(self, words, width, longest):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.place = nn.Embedding(longest, width)
        self.kv = nn.Linear(width, 2 * width)
        self.head = nn.Linear(width, words)
        self.longest = longest

    def prefill(self, prompts, mask, count):
        rows = prompts.shape[0]
        keys = torch.zeros(rows, self.longest, self.embed.embedding_dim)
        values = torch.zeros_like(keys)
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        k, v = self.kv(self.embed(prompts) + self.place(positions)).chunk(2, -1)
        index = positions[..., None].expand_as(k)
        return keys.scatter(1, index, k), values.scatter(1, index, v)

    def step(self, word, positions, keys, values):
        x = self.embed(word) + self.place(positions)
        k, v = self.kv(x).chunk(2, -1)
        index = positions[..., None].expand_as(k)
        keys.scatter_(1, index, k)
        values.scatter_(1, index, v)
        seen = torch.arange(self.longest) <= positions
        scores = (x @ keys.transpose(1, 2)).masked_fill(~seen[:, None], -1e9)
        mixed = x + scores.softmax(-1) @ values
        return self.head(torch.tanh(mixed))[:, 0]
