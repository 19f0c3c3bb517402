"""A module counts its calls, and reads the count before and after a break."""

# finds CA704 /buffer|outside/
# finds CA803|CA809 /outside|remove|reorderable/
import torch
from torch import nn


class Warmup(nn.Module):
    """Scales its output up with the calls."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.calls = 0

    def advance(self) -> None:
        self.calls += 1  # <- CA704

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.inner(x) / (1 + self.calls)
        print("inside")  # <- CA803|CA809
        return x * self.calls


module = Warmup()
compiled = torch.compile(module, backend="eager")
for _ in range(5):
    module.advance()
    compiled(torch.randn(3, 4)).sum().backward()
