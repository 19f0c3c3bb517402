import torch
from torch import Tensor, nn


class Cell(nn.Module):
    """A minimal gated unit."""

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.forget = nn.Linear(inputs + hidden, hidden)
        self.candidate = nn.Linear(inputs + hidden, hidden)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        f = torch.sigmoid(self.forget(torch.cat([x, h], dim=-1)))
        c = torch.tanh(self.candidate(torch.cat([x, f * h], dim=-1)))
        return (1 - f) * h + f * c


class Forecaster(nn.Module):
    def __init__(self, hidden: int = 12):
        super().__init__()
        self.cell = Cell(2, hidden)
        self.head = nn.Linear(hidden, 2)
        self.hidden = hidden

    def initial(self, batch: int) -> Tensor:
        return torch.zeros(batch, self.hidden)

    def forward(self, values: Tensor, observed: Tensor, h: Tensor, own: Tensor) -> tuple:
        """`own` says where the model's last guess stands in for what was seen."""
        outputs = []
        guess = values[:, 0]
        for step in range(values.size(1)):
            take_own = own[:, step] | ~observed[:, step]
            seen = torch.where(take_own, guess.detach(), values[:, step])
            h = self.cell(torch.stack([seen, take_own.float()], dim=-1), h)
            mean, log_std = self.head(h).unbind(-1)
            guess = mean
            outputs.append(torch.stack([mean, log_std]))
        return torch.stack(outputs, dim=-1), h


def gaussian_nll(outputs: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    mean, log_std = outputs
    log_std = log_std.clamp(-4.0, 2.0)
    nll = log_std + 0.5 * ((target - mean) * torch.exp(-log_std)).square()
    return (nll * mask).sum() / mask.sum().clamp(min=1)
