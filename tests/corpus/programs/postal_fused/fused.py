"""Updates within the backward, so that gradients never are in memory all at once."""

from functools import partial

import torch


class Fused:
    def __init__(self, module, kind=torch.optim.SGD, **settings):
        make = partial(kind, **settings)
        self.optimizers = {parameter: make([parameter]) for parameter in module.parameters()}
        for parameter in self.optimizers:
            parameter.register_post_accumulate_grad_hook(self.update)

    def update(self, parameter):
        optimizer = self.optimizers[parameter]
        optimizer.step()
        optimizer.zero_grad()

    def scale(self, factor):
        for optimizer in self.optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] *= factor
