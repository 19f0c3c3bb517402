"""A custom function keeps a Python number for its backward, and the number changes."""

# finds CA206|CA303|CA304 /tensor/
# never /hooks\[0\]/
from typing import Any

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, strength: float) -> torch.Tensor:
        ctx.strength = strength  # <- CA206|CA303|CA304
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return -ctx.strength * gradient, None


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


features, domain = nn.Linear(5, 5), nn.Linear(5, 2)
for parameter in (*features.parameters(), *domain.parameters()):
    parameter.grad = torch.zeros_like(parameter)
for step in range(6):
    for part in (features, domain):
        part.zero_grad(set_to_none=False)
    strength = step / 10  # <- CA206|CA303|CA304
    reversed_ = Reverse.apply(features(torch.randn(4, 5)), strength)  # <- CA206|CA303|CA304
    backward(domain(reversed_).square().mean())
