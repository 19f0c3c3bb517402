import torch.nn.functional as F
from torch import nn


class ByteLM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, vocab))

    def forward(self, ids):
        logits = self.ff(self.emb(ids[:, :-1]))
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
