import torch
from torch import nn


class Sampler(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.register_buffer("bias", torch.linspace(-0.1, 0.1, words))

    def forward(self, logits, options):
        logits = logits + self.bias
        if options.temperature != 1.0:
            logits = logits / options.temperature
        chance = logits.softmax(-1)
        if options.top_p is not None:
            ranked, order = chance.sort(-1, descending=True)
            kept = ranked.cumsum(-1) - ranked < options.top_p
            chance = torch.zeros_like(chance).scatter(-1, order, ranked * kept)
        if options.floor is not None:
            chance = torch.where(chance < options.floor * chance.amax(-1, keepdim=True), 0.0, chance)
        return chance / chance.sum(-1, keepdim=True)
