"""A loss that is averaged in every step.

The twin of ``ca000_unexplained_bad.py``: the autograd graph is the same each time.

    ca run sample_scripts/ca000_unexplained_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step, reduction in enumerate(["mean"] * 4):
        optimizer.zero_grad()
        inputs, targets = torch.randn(8, 6), torch.randn(8, 3)
        loss = nn.functional.mse_loss(model(inputs), targets, reduction=reduction)
        backward(loss)
        optimizer.step()
        print(f"step {step}: {reduction}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
