"""A hook multiplies by a Python number of its closure, which is another one for some steps."""

# finds CA304|CA303 /tensor/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Linear(4, 4)
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


def scaled_by(strength: float):
    def scaled(gradient: torch.Tensor) -> torch.Tensor:
        return gradient * strength  # <- CA304|CA303

    return scaled


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(6):
    handle = model.weight.register_hook(scaled_by(0.5 if step < 3 else 0.25))  # <- CA304|CA303
    backward(model(torch.randn(3, 4)).square().mean())
    handle.remove()
