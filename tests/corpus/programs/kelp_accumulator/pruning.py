"""Keeps pruned weights at zero."""

import torch


def prune(layer, share):
    """Zero the smallest weights of `layer`, and their gradients from now on."""
    threshold = layer.weight.detach().abs().flatten().kthvalue(int(share * layer.weight.numel()))
    mask = (layer.weight.detach().abs() > threshold.values).float()
    with torch.no_grad():
        layer.weight.mul_(mask)
    return layer.weight.register_hook(lambda gradient: gradient * mask)
