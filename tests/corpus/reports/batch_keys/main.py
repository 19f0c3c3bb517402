"""Train a recommender on events whose features are not all present in each batch."""
import random

import torch
import torch.nn as nn

FIELDS = ("user", "item", "shop", "city")


class Recommender(nn.Module):
    def __init__(self, size=30, width=8):
        super().__init__()
        self.tables = nn.ModuleDict({f: nn.Embedding(size, width) for f in FIELDS})
        self.score = nn.Linear(width, 1)

    def forward(self, batch):
        total = 0
        for field, ids in batch.items():
            total = total + self.tables[field](ids)
        return self.score(torch.tanh(total)).squeeze(-1)


def batches(n, size=16):
    rng = random.Random(18)
    for _ in range(n):
        batch = {f: torch.randint(30, (size,)) for f in FIELDS[:2]}
        for f in FIELDS[2:]:
            if rng.random() < 0.5:
                batch[f] = torch.randint(30, (size,))
        yield batch, torch.rand(size).round()


def main():
    torch.manual_seed(18)
    net = Recommender()
    model = torch.compile(net, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch, click in batches(12):
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch), click)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
