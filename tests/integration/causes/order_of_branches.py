"""Two branches of another structure are summed in another order by turns."""

# finds CA211 /order/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
left, right = nn.Linear(5, 5), nn.Sequential(nn.Linear(5, 5), nn.Tanh())
for parameter in (*left.parameters(), *right.parameters()):
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(6):
    x = torch.randn(4, 5)
    branches = [left, right] if step % 2 == 0 else [right, left]  # <- CA211
    total = torch.zeros(())
    for branch in branches:  # <- CA211
        total = total + branch(x).square().mean()  # <- CA211
    backward(total)
