"""Accounts, what flows between them, and what is odd about it."""

import torch
from torch import nn


class Flows(nn.Module):
    def __init__(self, accounts=20, width=8):
        super().__init__()
        self.account = nn.Embedding(accounts, width)
        self.message = nn.Linear(width + 1, width)
        self.odd = nn.Linear(2 * width, 1)

    def forward(self, day):
        sent = torch.cat([self.account(day.source), day.amount.unsqueeze(-1)], -1)
        messages = torch.tanh(self.message(sent))
        gathered = torch.zeros_like(self.account.weight).index_add(0, day.target, messages)
        pair = torch.cat([gathered[day.source], gathered[day.target]], -1)
        return self.odd(pair).squeeze(-1)
