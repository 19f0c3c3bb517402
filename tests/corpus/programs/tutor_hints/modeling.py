"""An encoder of sentences that returns what it is asked for."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class SentenceOutput:
    logits: torch.Tensor
    hidden_states: tuple = ()


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.feed = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        x = self.norm(x + self.attention(x, x, x, need_weights=False)[0])
        return x + self.feed(x)


class SentenceModel(nn.Module):
    def __init__(self, width, layers, vocabulary=50, classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(layers))
        self.classifier = nn.Linear(width, classes)

    def forward(self, input_ids, output_hidden_states=False):
        hidden = self.embed(input_ids)
        states = [hidden]
        for layer in self.layers:
            hidden = layer(hidden)
            states.append(hidden)
        output = SentenceOutput(self.classifier(hidden.mean(1)))
        if output_hidden_states:
            output.hidden_states = tuple(states)
        return output
