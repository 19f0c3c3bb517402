"""Learns what usually stands in a ledger by guessing masked entries."""

import torch
from columns import Ledger
from config import Config
from torch.nn.functional import cross_entropy


def rows(config, count, batch=8):
    for _ in range(count):
        account = torch.randint(config.values, (batch, 1))
        yield (account * torch.arange(1, config.columns + 1)) % config.values


def main():
    torch.manual_seed(0)
    config = Config()
    ledger = Ledger(config)
    optimizer = torch.optim.AdamW(ledger.parameters(), lr=5e-3)
    for entries in rows(config, 6):
        hidden = torch.rand(entries.shape) < config.masked
        told = ledger(entries.masked_fill(hidden, config.values))
        errors = cross_entropy(told.transpose(1, 2), entries, reduction="none")
        total = (errors * hidden).sum() / hidden.sum().clamp(min=1)
        optimizer.zero_grad()
        total.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
