"""Embedding server: model prepared in the main thread, requests answered by a thread pool."""
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn
import torch.nn.functional as F


class TextEncoder(nn.Module):
    def __init__(self, vocab=100, dim=24, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))

    def forward(self, tokens):
        h = self.emb(tokens)
        for layer in self.mix:
            h = h + F.gelu(layer(h.cumsum(1) / 10))
        return F.normalize(h.mean(1), dim=-1)


class EmbeddingService:
    def __init__(self, max_len=12, batch=4):
        torch.manual_seed(0)
        torch.set_grad_enabled(False)
        self.max_len, self.batch = max_len, batch
        self.encode = torch.compile(TextEncoder().eval(), backend="eager")
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.warmup()

    def warmup(self):
        self.encode(torch.zeros(self.batch, self.max_len, dtype=torch.long))

    def collate(self, texts):
        out = torch.zeros(self.batch, self.max_len, dtype=torch.long)
        for i, text in enumerate(texts):
            codes = [ord(c) % 100 for c in text][: self.max_len]
            out[i, : len(codes)] = torch.tensor(codes)
        return out

    def _answer(self, texts):
        vectors = self.encode(self.collate(texts))
        return vectors[: len(texts)]

    def submit(self, texts):
        return self.pool.submit(self._answer, texts)


QUERIES = [["hello", "world"], ["torch", "compile", "threads"], ["a"], ["guard", "state", "mode", "grad"]]


def main():
    service = EmbeddingService()
    futures = [service.submit(q) for q in QUERIES]
    for q, f in zip(QUERIES, futures):
        vec = f.result()
        print(len(q), "vectors, sum", round(vec.sum().item(), 4))
    service.pool.shutdown()


if __name__ == "__main__":
    main()
