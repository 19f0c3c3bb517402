"""Contrastive training of an encoder for a search index."""

import torch
from encoder import BagEncoder, info_nce, truncated
from nesting import RandomDim
from torch._dynamo import compiled_autograd


def pairs(steps, rows=10, length=6, vocabulary=50):
    for _ in range(steps):
        documents = torch.randint(0, vocabulary, (rows, length))
        yield documents[:, torch.randperm(length)[:3]], documents


def main():
    torch.manual_seed(0)
    model = BagEncoder()
    policy = RandomDim([8, 16, 32])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        for queries, documents in pairs(steps=10):
            dim = policy.next_dim()
            loss = info_nce(truncated(model(queries), dim), truncated(model(documents), dim))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
