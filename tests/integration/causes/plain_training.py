"""A clean program with a compiled forward and backward."""

# finds nothing
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2))
compiled = torch.compile(model, backend="aot_eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for _ in range(5):
    optimizer.zero_grad()
    backward(compiled(torch.randn(4, 6)).square().mean())
    optimizer.step()
