import torch
import torch.nn.functional as F
from torch import nn


class UnrolledShrinkage(nn.Module):
    """A few steps of iterative shrinkage with a learned dictionary (LISTA)."""

    def __init__(self, length: int, atoms: int, steps: int = 3):
        super().__init__()
        self.encode = nn.Linear(length, atoms, bias=False)
        self.again = nn.Linear(atoms, atoms, bias=False)
        self.decode = nn.Linear(atoms, length, bias=False)
        self.steps = steps
        nn.init.zeros_(self.again.weight)

    def forward(self, x: torch.Tensor, threshold: float) -> torch.Tensor:
        drive = self.encode(x)
        code = F.softshrink(drive, threshold)
        for _ in range(self.steps):
            code = F.softshrink(drive + self.again(code), threshold)
        return self.decode(code)
