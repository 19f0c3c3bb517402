from random import random

import torch


def aligned_error(pred, true, mask):
    """error of all pairwise distances, after jumper et al. but without frames"""
    pred_dist = (pred[:, None] - pred[None] + 1e-4).norm(dim=-1)
    true_dist = (true[:, None] - true[None]).norm(dim=-1)
    pairs = (mask[:, None] & mask[None]).float()
    return (pred_dist - true_dist).abs(), pairs


def fape(pred, true, mask, clamp_distance=2.0, clamp_prob=0.75):
    error, pairs = aligned_error(pred, true, mask)
    if random() < clamp_prob:
        error = error.clamp(max=clamp_distance)
    return (error * pairs).sum() / pairs.sum()


@torch.no_grad()
def lddt_like(pred, true, mask, thresholds=(0.5, 1.0, 2.0)):
    error, pairs = aligned_error(pred, true, mask)
    hits = sum((error < t).float() for t in thresholds) / len(thresholds)
    return (hits * pairs).sum() / pairs.sum()
