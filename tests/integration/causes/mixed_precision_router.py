"""A router runs in full precision for some batches, within autocast."""

# finds CA112|CA202 /autocast/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Routed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router, self.expert = nn.Linear(6, 2), nn.Linear(6, 6)

    def forward(self, x: torch.Tensor, *, precise: bool) -> torch.Tensor:
        with torch.autocast("cpu", enabled=not precise):  # <- CA112|CA202
            weight = self.router(x).float().softmax(-1)[:, :1]
        return self.expert(x) * weight


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


model = Routed()
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)
for step in range(6):
    model.zero_grad(set_to_none=False)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(torch.randn(4, 6), precise=step % 3 == 2).float().square().mean()
    backward(loss)
