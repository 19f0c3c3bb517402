"""Serving with padded buckets: each bucket is compiled on purpose at start-up with static shapes."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

BUCKETS = (8, 16, 32)


class Reranker(nn.Module):
    def __init__(self, vocab=90, dim=24, heads=3):
        super().__init__()
        self.heads = heads
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.ff = nn.Linear(dim, dim)
        self.score = nn.Linear(dim, 1)

    def forward(self, tokens):
        b, t = tokens.shape
        h = self.emb(tokens)
        q, k, v = self.qkv(h).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mask = (tokens != 0)[:, None, None, :]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        h = h + F.gelu(self.ff(y.transpose(1, 2).reshape(b, t, -1)))
        return self.score(h[:, 0]).squeeze(-1)


class Engine:
    def __init__(self, batch=4):
        torch.manual_seed(0)
        self.batch = batch
        self.model = torch.compile(Reranker().eval(), backend="eager", dynamic=False)
        self.warm_seconds = self.warm_up()

    @torch.inference_mode()
    def warm_up(self):
        start = time.perf_counter()
        for bucket in BUCKETS:
            self.model(torch.ones(self.batch, bucket, dtype=torch.long))
        return time.perf_counter() - start

    def pad(self, sequences):
        longest = max(len(s) for s in sequences)
        bucket = next(b for b in BUCKETS if b >= longest)
        out = torch.zeros(self.batch, bucket, dtype=torch.long)
        for i, s in enumerate(sequences):
            out[i, : len(s)] = s
        return out

    @torch.inference_mode()
    def rank(self, sequences):
        scores = self.model(self.pad(sequences))[: len(sequences)]
        return scores.argsort(descending=True).tolist()


def traffic(n):
    g = torch.Generator().manual_seed(7)
    for _ in range(n):
        k = int(torch.randint(1, 5, (1,), generator=g))
        yield [torch.randint(1, 90, (int(torch.randint(3, 33, (1,), generator=g)),), generator=g) for _ in range(k)]


def main():
    engine = Engine()
    for sequences in traffic(8):
        print(len(sequences), max(map(len, sequences)), engine.rank(sequences))


if __name__ == "__main__":
    main()
