"""A forward hook comes and goes, and Dynamo is told to guard on hooks.

    ca run sample_scripts/ca718_hooks_toggled_bad.py

What to look for: CA718, with the module.
"""

import torch
from torch import nn

torch._dynamo.config.skip_nnmodule_hook_guards = False


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) * 2


def nothing(module: nn.Module, inputs: object, output: object) -> None:
    pass


def main() -> None:
    torch.manual_seed(0)
    model = Net()
    compiled = torch.compile(model, backend="eager")
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        handle = model.inner.register_forward_hook(nothing) if step % 2 else None  # <- CA718
        print(f"step {step}: {compiled(x).sum().item():.6f}")
        if handle is not None:
            handle.remove()


if __name__ == "__main__":
    main()
