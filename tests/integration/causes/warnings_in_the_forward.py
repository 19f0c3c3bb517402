"""A layer keeps warnings quiet while it runs."""

# finds CA806|CA804|CA805 /out of|outside|around/
import warnings

import torch
from torch import nn


class Quiet(nn.Module):
    """Runs its layer without warnings."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with warnings.catch_warnings():  # <- CA806|CA804|CA805
            warnings.simplefilter("ignore")  # <- CA806|CA804|CA805
            return self.layer(x).tanh()


model = torch.compile(Quiet(), backend="eager")
for _ in range(3):
    model(torch.randn(3, 6)).sum().backward()
