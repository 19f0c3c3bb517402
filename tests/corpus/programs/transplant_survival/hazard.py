"""DeepSurv: a risk score per patient, fitted by Cox's partial likelihood."""

import torch
from torch import nn


class RiskNet(nn.Module):
    def __init__(self, covariates, width=16):
        super().__init__()
        self.embed = nn.Linear(covariates, width)
        self.body = nn.Sequential(nn.SELU(), nn.Linear(width, width), nn.SELU())
        self.score = nn.Linear(width, 1, bias=False)

    def forward(self, x, watch=None):
        hidden = self.embed(x)
        if watch is not None:
            watch(hidden)
        return self.score(self.body(hidden)).squeeze(1)


def partial_likelihood(scores, months, died):
    order = months.argsort(descending=True)
    scores, died = scores[order], died[order]
    at_risk = torch.logcumsumexp(scores, 0)
    return -((scores - at_risk) * died).sum() / died.sum().clamp(min=1)


def concordance(scores, months, died):
    earlier = (months[:, None] < months[None]) & died.bool()[:, None]
    right = (scores[:, None] > scores[None]) & earlier
    return (right.sum() / earlier.sum().clamp(min=1)).item()
