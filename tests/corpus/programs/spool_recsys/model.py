import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentiveRecommender(nn.Module):
    """One block of SASRec (Kang & McAuley, 2018)."""

    def __init__(self, items, max_len, dim, dropout):
        super().__init__()
        self.max_len = max_len
        self.item = nn.Embedding(items, dim, padding_idx=0)
        self.position = nn.Parameter(0.02 * torch.randn(max_len, dim))
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, history):
        length = min(history.size(1), self.max_len)
        history = history[:, -length:]
        x = self.item(history) + self.position[-length:]
        q, k, v = self.qkv(self.norm(self.dropout(x))).chunk(3, dim=-1)
        later = torch.ones(length, length).triu(1).bool()
        hidden = later | (history == 0)[:, None, :]
        scores = (q @ k.transpose(1, 2)) / q.size(-1) ** 0.5
        weights = scores.masked_fill(hidden, -1e9).softmax(-1)
        return x + self.out(weights @ v)

    def score(self, state, items):
        return torch.einsum("btd,btnd->btn", state, self.item(items))


def sampled_softmax(positive, negative, mask, temperature):
    logits = torch.cat([positive, negative], dim=-1) / temperature
    picked = F.log_softmax(logits, dim=-1)[..., 0]
    return -(picked * mask).sum() / mask.sum()
