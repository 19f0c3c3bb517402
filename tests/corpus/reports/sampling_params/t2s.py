import torch
from torch import nn


class Text2Semantic(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.net = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, vocab))
        self.generate_next = torch.compile(self._generate_next, fullgraph=True, dynamic=False, backend="aot_eager")

    def _generate_next(self, token, noise, T, top_k):
        logits = self.net(self.emb(token))[0] / T
        kth = torch.topk(logits, top_k).values[-1]
        logits = logits.masked_fill(logits < kth, float("-inf"))
        probs = logits.softmax(-1)
        return (probs / noise).argmax()[None]

    @torch.no_grad()
    def generate(self, start, n, temperature=1.0, top_k=None):
        token = torch.tensor([start])
        g = torch.Generator().manual_seed(7)
        out = []
        for _ in range(n):
            noise = torch.empty(40).exponential_(generator=g)
            token = self.generate_next(token, noise, temperature, top_k)
            out.append(token.item())
        return out
