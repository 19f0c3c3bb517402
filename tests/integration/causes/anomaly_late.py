"""Anomaly mode is switched on to find a NaN once the backward was captured without it."""

# finds CA601 /cache|before|first/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Linear(4, 4)
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(5):
    with torch.autograd.set_detect_anomaly(step >= 3):  # <- CA601
        backward(model(torch.randn(3, 4)).square().mean())
