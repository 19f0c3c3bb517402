"""A shared encoder with a head for each language."""

from torch import nn


class Recognizer(nn.Module):
    def __init__(self, languages, features=6, width=16, words=4):
        super().__init__()
        self.encoder = nn.Conv1d(features, width, 3, padding=1)
        self.norm = nn.LayerNorm(width)
        self.heads = nn.ModuleList(nn.Linear(width, words) for _ in range(languages))

    def forward(self, frames, language):
        hidden = self.encoder(frames.mT).relu().amax(-1)
        return self.heads[language](self.norm(hidden))
