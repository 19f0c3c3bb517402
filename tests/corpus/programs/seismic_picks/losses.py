"""Losses by name; a run names one of them on the command line."""

import torch
import torch.nn.functional as F

LOSSES = {}


def register(name):
    def note(function):
        LOSSES[name] = function
        return function

    return note


def masked_mean(values, mask):
    if mask is None:
        return values.mean()
    return (values * mask).sum() / mask.sum().clamp(min=1)


@register("bce")
def plain(logits, target, mask, progress):
    return masked_mean(F.binary_cross_entropy_with_logits(logits, target, reduction="none"), mask)


@register("bce_sharp")
def sharpened(logits, target, mask, progress):
    """Rewards exact picks, but only once the rough ones are learned."""
    point = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    loss = masked_mean(point, mask)
    if progress > 0.25:
        peak = torch.softmax(logits * 4, dim=-1)
        away = (peak * (1 - target)).sum(-1, keepdim=True)
        loss = loss + min(1.0, 2 * progress) * masked_mean(away.expand_as(point), mask)
    return loss
