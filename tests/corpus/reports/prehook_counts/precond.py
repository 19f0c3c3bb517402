import torch
from torch import nn


class InputStats:
    """keeps the second moment of each Linear's input, to whiten its gradient"""

    def __init__(self, model, every):
        self.every = every
        self.layers = [m for m in model.modules() if isinstance(m, nn.Linear)]
        for layer in self.layers:
            layer._seen = 0
            layer.register_buffer("_moment", torch.eye(layer.in_features), persistent=False)
            layer.register_forward_pre_hook(self.collect)

    def collect(self, layer, args):
        if layer._seen % self.every == 0:
            x = args[0].detach().flatten(0, -2)
            layer._moment.lerp_(x.T @ x / x.shape[0], 0.1)
        layer._seen += 1

    @torch.no_grad()
    def precondition(self):
        for layer in self.layers:
            root = torch.linalg.inv(layer._moment + 0.1 * torch.eye(layer.in_features))
            layer.weight.grad = layer.weight.grad @ root
