"""A hook that is registered anew with a number in its default arguments.

Dynamo guards on the number, so another one compiles the captured graph again.

    ca run sample_scripts/ca304_hook_number_bad.py

What to look for: CA304, with the hook's line and the number.
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
        scale = 1.0 / (1 + step // 2)
        handle = model[0].weight.register_hook(lambda grad, scale=scale: grad * scale)  # <- CA304
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        handle.remove()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
