"""Scale-invariant signal-to-noise ratio, invariant to the order of voices."""

from itertools import permutations

import torch


def si_snr(estimate, target, eps=1e-8):
    estimate = estimate - estimate.mean(-1, keepdim=True)
    target = target - target.mean(-1, keepdim=True)
    scale = (estimate * target).sum(-1, keepdim=True) / (target.pow(2).sum(-1, keepdim=True) + eps)
    wanted = scale * target
    noise = estimate - wanted
    return 10 * torch.log10(wanted.pow(2).sum(-1) / (noise.pow(2).sum(-1) + eps) + eps)


def pit_loss(estimates, targets):
    scores = [
        si_snr(estimates[:, list(order)], targets).mean(-1)
        for order in permutations(range(targets.shape[1]))
    ]
    return -torch.stack(scores).amax(0).mean()
