"""LayerDrop by a gate of 0 or 1: the fix of ``ca202_branch_bad.py``.

Every layer always runs, and what it adds is multiplied by a gate, so the autograd graph is
the same at each step. A dropped layer gets gradients of zero.

    ca run sample_scripts/ca202_branch_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn


class LayerDropNet(nn.Module):
    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x, kept):
        for layer, keep in zip(self.layers, kept, strict=True):
            x = x + keep * torch.tanh(layer(x))
        return self.head(x)


def main() -> None:
    torch.manual_seed(0)
    model = LayerDropNet(width=8, depth=3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 8), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(8):
        kept = torch.rand(3) > 0.4
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs, kept), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: {int(kept.sum())} of 3 layers, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
