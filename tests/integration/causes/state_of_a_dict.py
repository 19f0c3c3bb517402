"""Two passes, each with a state that a dict carries on and that grows."""

# finds CA204 /states|hidden/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
cell, out = nn.GRUCell(4, 6), nn.Linear(6, 1)
for parameter in (*cell.parameters(), *out.parameters()):
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward(retain_graph=True)


def episode(states: dict[str, torch.Tensor]) -> None:
    for _ in range(4):
        hidden = cell(torch.randn(2, 4), states["agent"])
        backward(out(hidden).mean())
        states["agent"] = hidden  # <- CA204


for _ in range(2):
    episode({"agent": torch.zeros(2, 6)})
