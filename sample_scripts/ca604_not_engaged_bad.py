"""Compiled autograd is configured, and no backward is in a compiled function.

Torch turns it on where a compiled function is called, and off when that returns. This
``backward()`` runs in eager, with no warning.

    ca run sample_scripts/ca604_not_engaged_bad.py

What to look for: CA604 at the backward call: 4 backwards, none captured.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    forward = torch.compile(model, backend="aot_eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(forward(inputs), targets)
        loss.backward()  # <- CA604
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
