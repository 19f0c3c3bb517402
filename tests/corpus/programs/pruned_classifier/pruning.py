"""Prunes weights by size in rounds, and keeps them pruned."""

from dataclasses import dataclass, field

import torch
from torch import nn


def smallest(weight: torch.Tensor, share: float) -> torch.Tensor:
    """A mask that is 0 for this share of the weights, the smallest ones."""
    count = int(share * weight.numel())
    mask = torch.ones_like(weight).flatten()
    mask[weight.detach().abs().flatten().argsort()[:count]] = 0.0
    return mask.view_as(weight)


@dataclass
class Pruner:
    model: nn.Module
    rounds: int
    final: float = 0.6
    masks: dict[str, torch.Tensor] = field(default_factory=dict)

    def share(self, turn: int) -> float:
        return self.final * (turn + 1) / self.rounds

    def prune(self, turn: int) -> None:
        for name, module in self.model.named_modules():
            if not isinstance(module, nn.Linear):
                continue
            mask = smallest(module.weight, self.share(turn))
            self.masks[name] = mask
            with torch.no_grad():
                module.weight.mul_(mask)
            module.weight.register_hook(lambda gradient, mask=mask: gradient * mask)
