"""A compiled forward with a slope that is annealed as a tensor.

The fix of ``ca402_after_limit_bad.py``: no guard on the value, no recompile, and the limit is
never reached. Raising the limit would only move it.

    ca run sample_scripts/ca402_after_limit_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
# The default is 8; here to see in five steps what else takes nine.
torch._dynamo.config.recompile_limit = 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 12)
        self.outer = nn.Linear(12, 1)
        self.register_buffer("slope", torch.tensor(0.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.inner(x)
        hidden = torch.where(hidden > 0, hidden, hidden * self.slope)
        return self.outer(hidden)


def main() -> None:
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, backend="aot_eager")

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step in range(5):
        model.slope.fill_(0.5 - 0.1 * step)
        optimizer.zero_grad()
        loss = compiled(torch.randn(8, 6)).square().mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
