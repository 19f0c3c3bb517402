"""Trains the ranker on clicks."""

import torch
from data import FIELDS, collate, recipes
from model import Ranker
from torch.nn import functional
from torch.utils.data import DataLoader


def main():
    torch.manual_seed(0)
    ranker = Ranker(FIELDS)
    loader = DataLoader(recipes(24), batch_size=2, collate_fn=collate)
    compiled = torch.compile(ranker, backend="eager")
    optimizer = torch.optim.SGD(ranker.parameters(), lr=0.1)
    for batch in loader:
        logits = compiled(batch)
        loss = functional.binary_cross_entropy_with_logits(logits, batch["clicked"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
