"""A forward hook is registered after a smoke test of the compiled model, which never calls it.

The term that is made of an inner layer's output is left out of the loss, and nothing says so.

    ca run sample_scripts/ca721_late_hook_bad.py

What to look for: CA721 at the line that registers it. No recompile tells of it.
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
    compiled(x)  # to fail early
    keeper.output = None
    model.inner.register_forward_hook(keeper.keep)  # <- CA721
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
