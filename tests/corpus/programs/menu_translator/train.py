from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from dishes import MAX_WORDS, VOCAB, batches
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    dim: int = 16
    courses: int = 8
    batch: int = 4
    steps: int = 24
    lr: float = 1e-2


class Attend(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, :], float("-inf"))
        return x + scores.softmax(dim=-1) @ v


class MenuClassifier(nn.Module):
    def __init__(self, cfg: Config) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCAB, cfg.dim, padding_idx=0)
        self.place = nn.Parameter(torch.zeros(MAX_WORDS, cfg.dim))
        self.attend = Attend(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.courses)

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.head(self.attend(self.words(tokens) + self.place, mask)[:, 0])


def fit(cfg: Config) -> float:
    torch.manual_seed(0)
    model = MenuClassifier(cfg)
    run = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    smooth = 0.0
    for batch in batches(cfg.steps, cfg.batch):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(run(batch.tokens, batch.mask), batch.label)
        loss.backward()
        optimizer.step()
        smooth = 0.9 * smooth + 0.1 * loss.item()
    return smooth


if __name__ == "__main__":
    print(f"{fit(Config()):.3f}")
