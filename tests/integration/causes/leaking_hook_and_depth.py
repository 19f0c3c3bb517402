"""A hook is added in each step, and every other step leaves a layer out."""

# finds CA302 /remove/
# finds CA202 /0-or-1/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
layers = nn.ModuleList(nn.Linear(5, 5) for _ in range(3))
for parameter in layers.parameters():
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


def doubled(gradient: torch.Tensor) -> torch.Tensor:
    return gradient * 2


for step in range(8):
    layers[0].weight.register_hook(doubled)  # <- CA302
    x = torch.randn(4, 5)
    for number, layer in enumerate(layers):
        if number == 1 and step % 2:  # <- CA202
            continue
        x = layer(x)
    backward(x.mean())
