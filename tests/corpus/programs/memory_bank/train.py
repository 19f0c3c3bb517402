"""Contrastive learning against a bank of the last keys, at most six batches of them."""

import torch
from torch import nn
from torch.nn import functional

CAPACITY = 6


class Contrast(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, width))

    def forward(self, query, key, bank):
        anchor = functional.normalize(self.encoder(query), dim=-1)
        positive = (anchor * key).sum(-1, keepdim=True)
        negatives = [anchor @ old.T for old in bank]
        logits = torch.cat([positive, *negatives], 1) / 0.1
        return functional.cross_entropy(logits, torch.zeros(len(query), dtype=torch.long))


def main():
    torch.manual_seed(0)
    model = Contrast()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    bank = []
    for _ in range(8):
        query = torch.randn(8, 10)
        with torch.no_grad():
            key = functional.normalize(model.encoder(query + 0.1), dim=-1)
        loss = compiled(query, key, bank)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.append(key)
        del bank[:-CAPACITY]


if __name__ == "__main__":
    main()
