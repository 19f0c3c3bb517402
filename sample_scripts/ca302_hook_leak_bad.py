"""A hook that is registered at each step and never removed.

The parameter has one hook more at every backward, so no backward is like one before it,
and all of the hooks run.

    ca run sample_scripts/ca302_hook_leak_bad.py

What to look for: CA302, a capture at each step, with the hook's name and line.
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
        model[0].weight.register_hook(scale)  # <- CA302
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
