"""A compiled forward with a slope that is annealed as a tensor.

The fix of ``ca401_forward_cascade_bad.py``: the value is data now and nothing guards on it, so
there is one forward, and one backward.

    ca run sample_scripts/ca401_forward_cascade_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


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

    for step in range(4):
        model.slope.fill_(0.5 - 0.1 * step)
        optimizer.zero_grad()
        loss = compiled(torch.randn(8, 6)).square().mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
