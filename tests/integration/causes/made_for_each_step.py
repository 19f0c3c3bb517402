"""A compiled function is given another object in each step, with another number in it."""

# finds CA706|CA704|CA701 /once|share|tensor|outside/
import torch


class Scale:
    def __init__(self, power: int) -> None:
        self.power = power  # <- CA706|CA704|CA701


@torch.compile(backend="eager")
def apply(x: torch.Tensor, scale: Scale) -> torch.Tensor:
    return (x.abs() + 1) ** scale.power


for step in range(6):
    scale = Scale(step + 2)  # <- CA706|CA704|CA701
    apply(torch.randn(4), scale)
