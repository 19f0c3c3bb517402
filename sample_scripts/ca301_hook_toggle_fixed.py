"""A gradient is clipped by a hook that is always there: the fix of ``ca301_hook_toggle_bad.py``.

Whether it clips is decided inside, by the value of a tensor.

    ca run sample_scripts/ca301_hook_toggle_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

LIMIT = torch.tensor(0.01)


def clip(grad):
    return torch.minimum(torch.maximum(grad, -LIMIT), LIMIT)


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")
    model[0].weight.register_hook(clip)

    for step in range(6):
        LIMIT.fill_(0.01 if step % 2 == 1 else torch.inf)
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
