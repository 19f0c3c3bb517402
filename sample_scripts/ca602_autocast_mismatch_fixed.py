"""A backward under the same autocast as its forward: none.

The gradients are in full precision, as the forward is.

    ca run sample_scripts/ca602_autocast_mismatch_fixed.py

What to look for: no finding.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    inputs, targets = torch.randn(16, 6, requires_grad=True), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="aot_eager")

    forward = torch.compile(model, backend="aot_eager")

    for step in range(4):
        inputs.grad = None
        loss = nn.functional.mse_loss(forward(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            (gradient,) = torch.autograd.grad(loss, inputs)
        print(f"step {step}: gradient {gradient.norm().item():.4f}")


if __name__ == "__main__":
    main()
