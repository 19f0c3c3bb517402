"""A patched block: hooks may look at the options that the sampler hands down."""
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x, options):
        options = dict(options)
        options["block"] = ("middle", 0)
        h = torch.nn.functional.silu(self.lin(x))
        for patch in options.get("patches", ()):
            h = patch(h, options)
        if options["cond_or_uncond"] is None:
            return h
        return x + h


class UNet(nn.Module):
    def __init__(self, width=12, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))

    def forward(self, x, options):
        for block in self.blocks:
            x = block(x, options)
        return x
