"""Entities as points, relations as translations between them."""

import torch
from torch import nn


class Translation(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.entity = nn.Embedding(config.entities, config.width)
        self.relation = nn.Embedding(config.relations, config.width)

    def distance(self, heads, relations, tails):
        return (heads + relations - tails).abs().sum(-1)

    def forward(self, heads, relations, tails, false, side):
        h, r, t = self.entity(heads), self.relation(relations), self.entity(tails)
        wrong = self.entity(false)
        true = self.distance(h, r, t)
        if side == "tail":
            return true, self.distance(h.unsqueeze(1), r.unsqueeze(1), wrong)
        return true, self.distance(wrong, r.unsqueeze(1), t.unsqueeze(1))

    @torch.no_grad()
    def project(self):
        norms = self.entity.weight.norm(dim=1, keepdim=True).clamp(min=1.0)
        self.entity.weight.div_(norms)
