"""A decoder that gives the scores of the next word."""

import torch
from torch import nn

# Divides the score of a caption, by its last place.
LENGTH_PENALTIES = [((5 + place) / 6) ** 0.6 for place in range(64)]


class CaptionDecoder(nn.Module):
    def __init__(self, vocabulary, longest, width=16):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(longest, width)
        self.cell = nn.GRUCell(width, width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, word, hidden):
        hidden = self.cell(word, hidden)
        return self.head(hidden), hidden

    def embedded(self, word, place):
        return self.words(word) + self.places.weight[place]


def scored(logits, running, ended, *, place):
    """Running scores of each continuation, divided by a penalty for length."""
    log_probabilities = torch.log_softmax(logits, -1)
    log_probabilities = torch.where(ended[:, None], -1e4, log_probabilities)
    return (running[:, None] + log_probabilities) / LENGTH_PENALTIES[place]
