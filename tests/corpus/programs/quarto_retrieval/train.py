"""Contrastive training of two towers; that of the titles comes from an older model.

The older model's layers are kept as they are for the first epochs (`thaw_after`).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from catalog import Catalog
from search import recall_at
from torch import nn
from towers import TwoTowers, info_nce


@dataclass
class Settings:
    vocab: int = 64
    prints: int = 48
    batch_size: int = 12
    epochs: int = 4
    thaw_after: int = 2
    margin: float = 1.0
    lr: float = 5e-3
    recall_k: int = 5
    seed: int = 29


class Trainer:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.catalog = Catalog.printed(settings.prints, settings.vocab, settings.seed)
        self.model = TwoTowers(settings.vocab)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=settings.lr)

    def set_trainable(self, modules: list[nn.Module], trainable: bool) -> None:
        for module in modules:
            module.requires_grad_(trainable)

    def train_epoch(self, epoch: int) -> float:
        margin = self.settings.margin * (epoch + 1) / self.settings.epochs
        total = torch.zeros(())
        count = 0
        for queries, titles in self.catalog.batches(self.settings.batch_size, epoch):
            loss = info_nce(self.model(queries, titles), margin)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
            count += 1
        return total.item() / count

    def run(self) -> None:
        self.set_trainable(self.model.pretrained_parts(), False)
        for epoch in range(self.settings.epochs):
            if epoch == self.settings.thaw_after:
                self.set_trainable(self.model.pretrained_parts(), True)
            loss = self.train_epoch(epoch)
            recall = recall_at(self.model, self.catalog, self.settings.recall_k)
            print(f"epoch {epoch}: loss {loss:.3f}, recall@{self.settings.recall_k} {recall:.2f}")


if __name__ == "__main__":
    Trainer(Settings()).run()
