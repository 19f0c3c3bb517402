import torch
from torch import nn


class Picker(nn.Module):
    """Attention over what was recorded; one block is skipped by a gate now and then."""

    def __init__(self, width=16, blocks=3, keep=0.8):
        super().__init__()
        self.enter = nn.Conv1d(1, width, 5, stride=2, padding=2)
        self.blocks = nn.ModuleList(
            [nn.Sequential(nn.Conv1d(width, width, 3, padding=1), nn.Tanh()) for _ in range(blocks)]
        )
        self.keep = keep
        self.score, self.leave = nn.Conv1d(width, 1, 1), nn.Linear(width, 1)

    def forward(self, trace, mask):
        x = self.enter(trace.unsqueeze(1))
        gates = torch.ones(len(self.blocks))
        if self.training:
            gates = torch.bernoulli(gates * self.keep) / self.keep
        for gate, block in zip(gates, self.blocks, strict=True):
            x = x + gate * block(x)
        score = self.score(x).squeeze(1).masked_fill(mask[:, ::2] == 0, -1e4)
        pooled = (x * score.softmax(-1).unsqueeze(1)).sum(-1)
        return self.leave(pooled).squeeze(-1)


class GradientClamp:
    """Hooks that stay, with bounds that are tensors."""

    def __init__(self, module, bound):
        self.bound = torch.tensor(bound)
        for parameter in module.parameters():
            parameter.register_hook(self.clamp)

    def clamp(self, grad):
        return torch.minimum(torch.maximum(grad, -self.bound), self.bound)

    def loosen(self, factor):
        self.bound.mul_(factor)
