"""Transfers between accounts, a few of them in a ring."""

from typing import NamedTuple

import torch


class Day(NamedTuple):
    source: torch.Tensor
    target: torch.Tensor
    amount: torch.Tensor
    fraud: torch.Tensor


def ledger(days, accounts=20, transfers=32, seed=3):
    generator = torch.Generator().manual_seed(seed)
    ring = torch.randperm(accounts, generator=generator)[:5]
    for _ in range(days):
        source, target = torch.randint(0, accounts, (2, transfers), generator=generator)
        fraud = torch.isin(source, ring) | torch.isin(target, ring)
        amount = torch.rand(transfers, generator=generator) + 2.0 * fraud
        yield Day(source, target, amount, fraud.float())
