"""A compiled forward gets the kind of its loss as a string, which changes by phase."""

# finds CA401 /function of its own|one for each|compile/
# never /tensor instead|`kind` as a tensor|0-d tensor|make it a tensor/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Linear(5, 4)


@torch.compile(backend="aot_eager")
def loss_of(x: torch.Tensor, kind: str) -> torch.Tensor:
    out = model(x)
    return out.abs().mean() if kind == "l1" else out.square().mean()


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
for step in range(6):
    model.zero_grad(set_to_none=False)
    kind = "l1" if step < 3 else "l2"  # <- CA401
    backward(loss_of(torch.randn(3, 5), kind))
