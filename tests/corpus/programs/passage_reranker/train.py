"""Trains the reranker."""

import torch
from data import collate, queries
from reranker import Reranker
from torch.nn import functional
from torch.utils.data import DataLoader

WIDTH = 10


def main():
    torch.manual_seed(1)
    loader = DataLoader(list(queries(32, WIDTH)), batch_size=4, collate_fn=collate)
    reranker = torch.compile(Reranker(WIDTH), backend="aot_eager")
    optimizer = torch.optim.SGD(reranker.parameters(), lr=0.05)
    for batch in loader:
        loss = functional.cross_entropy(reranker(batch.question, batch.passages), batch.answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
