"""The counter is a buffer.

    ca run sample_scripts/ca704_attribute_value_fixed.py

What to look for: nothing.
"""

import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.calls: torch.Tensor
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls = self.calls + 1
        return x + self.inner(x) * (self.calls / 10)


def main() -> None:
    torch.manual_seed(0)
    compiled = torch.compile(Warm(), backend="eager")
    x = torch.linspace(0, 1, 8)
    for step in range(5):
        print(f"step {step}: {compiled(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
