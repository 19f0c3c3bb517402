"""A compiled forward takes the slope of its leaky ReLU, a mode and a window from the step."""

# finds CA401 /torch\.where/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Linear(5, 4)


@torch.compile(backend="aot_eager")
def forward(x: torch.Tensor, slope: float) -> torch.Tensor:
    return nn.functional.leaky_relu(model(x), slope).mean()


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(5):
    model.zero_grad(set_to_none=False)
    slope = 0.3 / (1 + step)  # <- CA401
    backward(forward(torch.randn(3, 5), slope))
