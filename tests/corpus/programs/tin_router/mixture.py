import torch
from torch import nn


class DenseToSparseRouter(nn.Module):
    """Scores of experts with a little noise; of the best `top_k`, the others get nothing."""

    def __init__(self, dim, experts, noise_std=0.1):
        super().__init__()
        self.score = nn.Linear(dim, experts, bias=False)
        self.noise_std = noise_std
        self.top_k = experts
        self.register_buffer("load", torch.zeros(experts))

    def forward(self, x):
        scores = self.score(x)
        if self.training:
            scores = scores + self.noise_std * torch.randn_like(scores)
        rank = scores.argsort(-1, descending=True).argsort(-1)
        weights = scores.masked_fill(rank >= self.top_k, float("-inf")).softmax(-1)
        with torch.no_grad():
            self.load.lerp_(weights.mean(0), 0.1)
        return weights


class Mixture(nn.Module):
    def __init__(self, dim=10, experts=4, hidden=12):
        super().__init__()
        self.router = DenseToSparseRouter(dim, experts)
        self.w1 = nn.Parameter(torch.randn(experts, dim, hidden) / dim**0.5)
        self.w2 = nn.Parameter(torch.randn(experts, hidden, 1) / hidden**0.5)

    def forward(self, x):
        weights = self.router(x)
        hidden = torch.einsum("bd,edh->beh", x, self.w1).relu()
        out = torch.einsum("beh,eho->beo", hidden, self.w2)
        return (weights.unsqueeze(-1) * out).sum(1).squeeze(-1)
