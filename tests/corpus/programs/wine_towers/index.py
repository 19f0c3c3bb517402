"""Brute-force retrieval over the embeddings of all bottles."""

import torch


class Index:
    def __init__(self, tower, catalog, chunk=64):
        self.encode = torch.compile(tower, backend="aot_eager")
        self.catalog, self.chunk = catalog, chunk

    @torch.no_grad()
    def build(self):
        self.vectors = torch.zeros(self.catalog.bottles, 16)
        for ids in torch.arange(self.catalog.bottles).split(self.chunk):
            self.vectors[ids] = self.encode(*self.catalog.features(ids))

    def recall(self, queries, wanted, k=20):
        found = (queries @ self.vectors.T).topk(k).indices
        return (found == wanted[:, None]).any(-1).float().mean().item()
