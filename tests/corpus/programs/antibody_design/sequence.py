"""Sequences of amino acids as distributions that can be descended."""

import torch
from torch import nn
from torch.nn import functional

ALPHABET = "ACDEFGHIKLMNPQRSTVWY"


class SoftSequence(nn.Module):
    """Logits of each place, and the sequence they stand for."""

    def __init__(self, length, start=None):
        super().__init__()
        self.logits = nn.Parameter(0.1 * torch.randn(length, len(ALPHABET)))
        if start is not None:
            self.logits.data[range(length), [ALPHABET.index(one) for one in start]] += 1.0

    def forward(self, temperature, hard=False):
        soft = functional.softmax(self.logits / temperature, dim=-1)
        if not hard:
            return soft
        chosen = functional.one_hot(soft.argmax(-1), len(ALPHABET)).to(soft)
        return chosen + soft - soft.detach()

    def __str__(self):
        return "".join(ALPHABET[one] for one in self.logits.argmax(-1).tolist())
