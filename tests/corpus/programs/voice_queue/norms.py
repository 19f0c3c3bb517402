"""How large the gradients of an activation were, to find spikes."""

import torch


class NormLog:
    """A hook for a tensor that keeps the norm of each of its gradients."""

    def __init__(self):
        self.norms = []

    def __call__(self, grad):
        self.norms.append(grad.norm())

    def spikes(self, times=2.0):
        norms = torch.stack(self.norms)
        return (norms > times * norms.median()).nonzero().flatten().tolist()
