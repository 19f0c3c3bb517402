"""A memory grows, is emptied after four steps, and grows again."""

# finds CA204 /memory/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
encoder, out = nn.Linear(6, 6), nn.Linear(6, 2)
for parameter in (*encoder.parameters(), *out.parameters()):
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward(retain_graph=True)


memory: list[torch.Tensor] = []
for step in range(12):
    if step % 4 == 0:
        memory.clear()
    hidden = encoder(torch.randn(3, 6)).tanh()
    memory.append(hidden)  # <- CA204
    summary = torch.stack(memory).mean(0)
    backward(out(summary).square().mean())
