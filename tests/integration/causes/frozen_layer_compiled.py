"""The compiled model's first layer is frozen after three steps."""

# finds CA207 /requires_grad|frozen|freez/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))
compiled = torch.compile(model, backend="aot_eager")


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(6):
    if step == 3:
        model[0].requires_grad_(False)  # <- CA207
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    backward(compiled(torch.randn(4, 6)).square().mean())
