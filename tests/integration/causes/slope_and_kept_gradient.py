"""A slope is annealed by epoch, and in every other epoch the gradient of the output is kept."""

# finds CA206 /tensor|where/
# finds CA301 /every|always|once/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

model = nn.Linear(5, 4)
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


def run_epoch(slope: float, watch: bool) -> None:
    for _ in range(2):
        hidden = model(torch.randn(3, 5))
        if watch:  # <- CA301
            hidden.retain_grad()  # <- CA301
        out = nn.functional.elu(hidden, slope)  # <- CA206
        out.square().mean().backward()
        model.zero_grad(set_to_none=False)


with compiled_autograd._enable(torch.compile(backend="eager")):
    for epoch in range(4):
        run_epoch(1.0 - 0.2 * epoch, watch=epoch % 2 == 1)
