"""A compiled forward with a slope that is annealed as a Python float.

Dynamo compiles the forward for each value of the slope. Each compiled forward has a backward
of its own, new to compiled autograd: captured, and compiled, for every value as well.

    ca run sample_scripts/ca401_forward_cascade_bad.py

What to look for: CA401, with the guard on the slope, its line, and its values.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 12)
        self.outer = nn.Linear(12, 1)
        self.slope = 0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.inner(x)
        hidden = nn.functional.leaky_relu(hidden, self.slope)
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
        model.slope = 0.5 - 0.1 * step  # <- CA401
        optimizer.zero_grad()
        loss = compiled(torch.randn(8, 6)).square().mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
