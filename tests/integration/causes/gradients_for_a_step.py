"""A compiled attack makes a perturbation and asks for its gradient inside."""

# finds CA808|CA809|CA804 /outside|before|pass|as an argument|out of/
import torch
from torch import nn

model = nn.Linear(6, 1)


@torch.compile(backend="eager")
def perturbed(x: torch.Tensor) -> torch.Tensor:
    noise = torch.zeros_like(x) + 0.1
    noise.requires_grad_(True)  # <- CA808|CA809|CA804
    return model(x + noise).sum()


for _ in range(3):
    perturbed(torch.randn(3, 6)).backward()
