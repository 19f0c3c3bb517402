"""Autocast is on in every other step, around the forward only."""

# finds CA112 /autocast/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 12), nn.Linear(12, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.first(x).relu())


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    x, y = torch.randn(8, 6), torch.randn(8, 3)
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=step % 2 == 1):  # <- CA112
        loss = nn.functional.mse_loss(model(x).float(), y)
    backward(loss)
    optimizer.step()
