"""A small language model of gated convolutions."""

import torch
from torch import nn
from torch.nn import functional


class GatedLM(nn.Module):
    def __init__(self, letters, width=12, kernel=4):
        super().__init__()
        self.embed = nn.Embedding(letters, width)
        self.gates = nn.Conv1d(width, 2 * width, kernel)
        self.kernel, self.rate = kernel, 0.3
        self.next = nn.Linear(width, letters)

    def forward(self, letters):
        hidden = functional.dropout(self.embed(letters), self.rate, self.training)
        padded = functional.pad(hidden.transpose(1, 2), (self.kernel - 1, 0))
        return self.next(functional.glu(self.gates(padded), 1).transpose(1, 2))


def objective(logits, wanted, temperature, tail):
    """Cross-entropy, of which the later half of a block counts by another weight."""
    errors = functional.cross_entropy(logits.transpose(1, 2), wanted, reduction="none")
    half = errors.shape[1] // 2
    weights = torch.where(torch.arange(errors.shape[1]) < half, 1.0, tail)
    entropy = torch.distributions.Categorical(logits=logits / temperature).entropy()
    return (errors * weights).mean() - 0.01 * entropy.mean()
