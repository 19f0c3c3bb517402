"""A hook that is removed after its step: the fix of ``ca302_hook_leak_bad.py``.

One hook at every backward, so every backward is the same.

    ca run sample_scripts/ca302_hook_leak_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn


def scale(grad):
    return 0.9 * grad


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(5):
        handle = model[0].weight.register_hook(scale)
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        handle.remove()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
