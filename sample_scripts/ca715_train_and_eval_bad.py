"""A compiled model is also evaluated under ``torch.no_grad``.

    ca run sample_scripts/ca715_train_and_eval_bad.py

What to look for: CA715, which is information: one compile for each mode is expected.
"""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:  # <- CA715
        return self.inner(x).relu()


def main() -> None:
    torch.manual_seed(0)
    model = Net()
    compiled = torch.compile(model, backend="eager")
    x = torch.linspace(0, 1, 8)
    for step in range(3):
        compiled(x).sum().backward()
        with torch.no_grad():
            print(f"step {step}: {compiled(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
