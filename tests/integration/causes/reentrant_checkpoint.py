"""A block is checkpointed the old way, which runs a backward within the backward."""

# finds CA507 /use_reentrant=False/
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch._dynamo.config.compiled_autograd = True
first, block = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
for parameter in (*first.parameters(), *block.parameters()):
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for _ in range(4):
    hidden = first(torch.randn(3, 4))
    output = checkpoint(block, hidden, use_reentrant=True)  # <- CA507
    backward(output.square().mean())
