"""A gradient is clipped by a hook, on every other step only.

Hooks are part of the captured backward, so with and without the hook are two backwards.

    ca run sample_scripts/ca301_hook_toggle_bad.py

What to look for: CA301, with the hook's name and line.
"""

import torch
from torch import nn


def clip(grad):
    return grad.clamp(-0.01, 0.01)


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(6):
        handle = model[0].weight.register_hook(clip) if step % 2 == 1 else None  # <- CA301
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        if handle is not None:
            handle.remove()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
