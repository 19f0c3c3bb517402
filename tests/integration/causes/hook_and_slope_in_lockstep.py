"""Every third step has another slope and clips the gradient: two causes in one capture."""

# finds CA206 /torch\.where/
# finds CA301 /in every step/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

model = nn.Linear(5, 4)
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


def halved(gradient: torch.Tensor) -> torch.Tensor:
    return gradient / 2


with compiled_autograd._enable(torch.compile(backend="eager")):
    for step in range(7):
        careful = step % 3 == 2  # <- CA301 CA206
        if careful:  # <- CA301
            handle = model.bias.register_hook(halved)  # <- CA301
        slope = 0.1 if careful else 0.3  # <- CA206
        nn.functional.leaky_relu(model(torch.randn(3, 5)), slope).mean().backward()  # <- CA206
        model.zero_grad(set_to_none=False)
        if careful:
            handle.remove()
