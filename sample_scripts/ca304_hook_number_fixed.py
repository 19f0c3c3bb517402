"""A hook that is registered anew with a tensor: the fix of ``ca304_hook_number_bad.py``.

The tensor's value is an input of the captured graph.

    ca run sample_scripts/ca304_hook_number_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        scale = torch.tensor(1.0 / (1 + step // 2))
        handle = model[0].weight.register_hook(lambda grad, scale=scale: grad * scale)
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        handle.remove()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
