"""A layout is toggled in some steps, the input's gradient is asked for in others."""

# finds CA111 /layout/
# finds CA208 /requires_grad/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(8):
    images = torch.randn(4, 3, 6, 6)
    if step % 4 in (1, 3):
        images = images.to(memory_format=torch.channels_last)  # <- CA111
    if step % 4 in (2, 3):
        images.requires_grad_(True)  # <- CA208
    backward(model(images).square().mean())
