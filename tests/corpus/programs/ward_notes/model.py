import torch
from torch import nn


class NoteEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)

    def forward(self, tokens, mask):
        x = self.embed(tokens).transpose(1, 2)
        x = torch.relu(self.conv(x)).transpose(1, 2)
        m = mask.unsqueeze(-1)
        return (x * m).sum(1) / m.sum(1)


class UrgencyModel(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.encoder = NoteEncoder(vocab, dim)
        self.head = nn.Linear(dim, 1)

    def freeze_encoder(self, frozen=True):
        for p in self.encoder.parameters():
            p.requires_grad_(not frozen)

    def forward(self, batch):
        return self.head(self.encoder(batch.tokens, batch.mask)).squeeze(-1)
