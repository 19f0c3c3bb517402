"""Convolutions over bases, averaged over the bases that were read."""

from torch import nn


class ReadNet(nn.Module):
    def __init__(self, width=16, species=3, unread=4):
        super().__init__()
        self.unread = unread
        self.embed = nn.Embedding(5, width, padding_idx=unread)
        self.motifs = nn.Conv1d(width, width, kernel_size=5, padding=2)
        self.head = nn.Linear(width, species)

    def forward(self, tokens):
        read = (tokens != self.unread).float()
        motifs = self.motifs(self.embed(tokens).mT).relu()
        pooled = (motifs * read[:, None]).sum(-1) / read.sum(-1, keepdim=True)
        return self.head(pooled)
