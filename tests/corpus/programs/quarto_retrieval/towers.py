from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class TextTower(nn.Module):
    def __init__(self, vocab: int, width: int, out: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocab, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
        self.project = nn.Linear(width, out)

    def forward(self, words: Tensor) -> Tensor:
        hidden = self.words(words)
        hidden = hidden + self.body(hidden)
        return F.normalize(self.project(hidden.mean(1)), dim=-1)


class TwoTowers(nn.Module):
    def __init__(self, vocab: int, width: int = 24, out: int = 16) -> None:
        super().__init__()
        self.query, self.title = TextTower(vocab, width, out), TextTower(vocab, width, out)
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, queries: Tensor, titles: Tensor) -> Tensor:
        return self.log_scale.exp() * self.query(queries) @ self.title(titles).T

    def pretrained_parts(self) -> list[nn.Module]:
        return [self.title.words, self.title.body]


def info_nce(scores: Tensor, margin: float) -> Tensor:
    """Symmetric, with an additive margin on the pairs that belong together."""
    targets = torch.arange(len(scores))
    scores = scores - margin * torch.eye(len(scores))
    return (F.cross_entropy(scores, targets) + F.cross_entropy(scores.T, targets)) / 2
