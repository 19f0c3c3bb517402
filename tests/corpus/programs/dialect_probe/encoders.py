import torch
import torch.nn as nn
import torch.nn.functional as F
from registry import register


def sinusoid(length, dim):
    position = torch.arange(length)[:, None] / 50 ** (torch.arange(0, dim, 2) / dim)
    return torch.cat([position.sin(), position.cos()], dim=-1)


@register("attn")
class AttnEncoder(nn.Module):
    def __init__(self, n_mfcc, dim, heads, depth):
        super().__init__()
        self.proj = nn.Linear(n_mfcc, dim)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.0, batch_first=True)
            for _ in range(depth)
        )
        self.positions = {}

    def position(self, length, dim):
        if length not in self.positions:
            self.positions[length] = sinusoid(length, dim)
        return self.positions[length]

    def forward(self, feats):
        h = self.proj(feats)
        h = h + self.position(h.size(1), h.size(2))
        for block in self.blocks:
            h = block(h)
        return h


class DialectProbe(nn.Module):
    def __init__(self, encoder, dim, n_classes=5):
        super().__init__()
        self.encoder = encoder
        self.pool = nn.Linear(dim, 1)
        self.cls = nn.Linear(dim, n_classes)

    def forward(self, feats, dialect):
        h = self.encoder(feats)
        w = torch.softmax(self.pool(h), dim=1)
        logits = self.cls((w * h).sum(1))
        return F.cross_entropy(logits, dialect), logits
