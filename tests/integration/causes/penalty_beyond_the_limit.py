"""A compiled loss is given a growing exponent; past its recompile limit it runs uncompiled."""

# finds CA402 /tensor|torch\.where/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

torch._dynamo.config.recompile_limit = 2
model = nn.Linear(5, 4)
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="aot_eager")
def penalized(output: torch.Tensor, softness: float) -> torch.Tensor:
    return nn.functional.celu(output, softness).square().mean()


def softness_of(step: int) -> float:
    return 1.0 / (1 + step)  # <- CA402


with compiled_autograd._enable(torch.compile(backend="eager")):
    for step in range(6):
        softness = softness_of(step)  # <- CA402
        penalized(model(torch.randn(3, 5)), softness).backward()  # <- CA402
        model.zero_grad(set_to_none=False)
