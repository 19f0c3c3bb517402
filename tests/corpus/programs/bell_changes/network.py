import torch
from torch import nn


class AttentivePooling(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        weight = self.score(hidden).squeeze(-1).exp() * mask
        weight = weight / weight.sum(-1, keepdim=True)
        return (hidden * weight.unsqueeze(-1)).sum(1)


class ChangeNet(nn.Module):
    def __init__(self, bands: int = 8, width: int = 16, changes: int = 5):
        super().__init__()
        self.proj = nn.Linear(bands, width)
        self.conv = nn.Conv1d(width, width, 3, padding=1)
        self.pool = AttentivePooling(width)
        self.head = nn.Linear(width, changes)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, spectra: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.steps += 1
        hidden = torch.relu(self.proj(spectra))
        hidden = hidden + torch.relu(self.conv(hidden.transpose(1, 2))).transpose(1, 2)
        return self.head(self.pool(hidden, mask))
