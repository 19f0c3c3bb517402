import torch
from torch import nn


class Picker(nn.Module):
    """A shallow U of convolutions, as in PhaseNet but far smaller."""

    def __init__(self, width=12):
        super().__init__()
        self.enter = nn.Conv1d(3, width, 7, padding=3)
        self.down = nn.Conv1d(width, 2 * width, 5, stride=2, padding=2)
        self.deep = nn.Conv1d(2 * width, 2 * width, 5, padding=2)
        self.up = nn.ConvTranspose1d(2 * width, width, 4, stride=2, padding=1)
        self.leave = nn.Conv1d(2 * width, 1, 1)

    def forward(self, waves):
        top = torch.relu(self.enter(waves))
        low = torch.relu(self.deep(torch.relu(self.down(top))))
        return self.leave(torch.cat([top, torch.relu(self.up(low))], dim=1)).squeeze(1)


def pick_error(logits, target):
    """Samples between the picked and the true onset."""
    return (logits.argmax(-1) - target.argmax(-1)).abs().float().mean()
