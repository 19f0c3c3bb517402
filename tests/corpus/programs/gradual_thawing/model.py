"""A pretrained encoder of sentences with a new classifier."""

from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocabulary=60, width=16, layers=3):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())
            for _ in range(layers)
        )

    def forward(self, tokens):
        hidden = self.embed(tokens).mean(1)
        for layer in self.layers:
            hidden = hidden + layer(hidden)
        return hidden


class Classifier(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.encoder = Encoder()
        self.head = nn.Linear(16, classes)

    def forward(self, tokens):
        return self.head(self.encoder(tokens))
