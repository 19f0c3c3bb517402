"""The training state of a small masked model of amino acids."""

import torch
from torch import nn
from torch.nn import functional


class ProteinModel(nn.Module):
    def __init__(self, residues=21, width=16):
        super().__init__()
        self.embed = nn.Embedding(residues, width)
        self.mix = nn.Conv1d(width, width, 5, padding=2)
        self.out = nn.Linear(width, residues)

    def forward(self, residues):
        return self.out(self.mix(self.embed(residues).mT).mT.relu())


def build(peak):
    model = ProteinModel()
    decayed = [one for one in model.parameters() if one.ndim > 1]
    others = [one for one in model.parameters() if one.ndim < 2]
    groups = [
        {"params": decayed, "weight_decay": 0.1},
        {"params": others, "weight_decay": 0.0, "scale": 2.0},
    ]
    return model, torch.optim.AdamW(groups, lr=peak)


def loss_of(model, residues):
    hidden = torch.rand(residues.shape) < 0.3
    logits = model(residues.masked_fill(hidden, 20))
    losses = functional.cross_entropy(logits.mT, residues, reduction="none")
    return (losses * hidden).sum() / hidden.sum()
