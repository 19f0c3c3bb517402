"""A hook counts in a global of its module."""

# finds CA303 /Python|tensor/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
calls = 0


def count(gradient: torch.Tensor) -> torch.Tensor:
    global calls
    calls += 1  # <- CA303
    return gradient * (1.0 + calls)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


model = nn.Linear(5, 2)
model.weight.register_hook(count)
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
for _ in range(5):
    model.zero_grad(set_to_none=False)
    backward(model(torch.randn(4, 5)).mean())
