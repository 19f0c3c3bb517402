"""A forward hook is registered before the first call of the compiled model, which calls it.

    ca run sample_scripts/ca721_late_hook_fixed.py

What to look for: no finding; the hook is part of the graph.
"""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.outer = nn.Linear(8, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.outer(torch.tanh(self.inner(x)))


class Keeper:
    output: torch.Tensor | None = None

    def keep(self, module: nn.Module, inputs: object, output: torch.Tensor) -> None:
        self.output = output


def main() -> None:
    torch.manual_seed(0)
    model = Net()
    compiled = torch.compile(model, backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    keeper = Keeper()
    x = torch.randn(16, 8)
    model.inner.register_forward_hook(keeper.keep)
    compiled(x)  # to fail early
    keeper.output = None
    for step in range(4):
        optimizer.zero_grad()
        loss = compiled(x).square().mean()
        if keeper.output is not None:
            loss = loss + keeper.output.square().mean()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
