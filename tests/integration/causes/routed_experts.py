"""Experts take the rows that a router gives them; now and then one gets none."""

# finds CA403 /independent of the data|mask/
# finds CA202 /0-or-1|mask/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Mixture(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(6, 3)
        self.experts = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, chosen = self.router(x).softmax(-1).max(-1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = torch.nonzero(chosen == number).flatten()  # <- CA403
            if len(rows) == 0:  # <- CA202
                continue
            out = out.index_add(0, rows, expert(x[rows]) * weight[rows, None])  # <- CA403
        return out


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


torch.manual_seed(3)
model = Mixture()
for step in range(10):
    x = torch.randn(12, 6) + (4.0 if step in (4, 7) else 0.0)
    model.zero_grad(set_to_none=False)
    backward(model(x).square().mean())
