"""Pairwise losses over what the other slots of the batch, and a few popular items, score."""

import torch
import torch.nn.functional as F

LOSSES = {}


def register(name):
    def wrap(function):
        LOSSES[name] = function
        return function

    return wrap


@register("bpr-max")
def bpr_max(positive, negative):
    share = negative.softmax(dim=-1)
    return -torch.log((share * torch.sigmoid(positive - negative)).sum(-1) + 1e-9).mean()


@register("top1")
def top1(positive, negative):
    return (torch.sigmoid(negative - positive) + torch.sigmoid(negative.square())).mean()


@register("xe")
def cross_entropy(positive, negative):
    logits = torch.cat([positive, negative], dim=-1).flatten(0, 1)
    return F.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long))
