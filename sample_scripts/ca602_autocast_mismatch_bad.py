"""A backward under autocast whose compiled forward ran without.

AOTAutograd traced the backward for the mode of its forward. Run under another, its matrix
products are in another precision than anybody asked for.

    ca run sample_scripts/ca602_autocast_mismatch_bad.py

What to look for: CA602 at the backward call, an error: the gradients are off by some 0.5 %.
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
        with (
            torch.autocast("cpu", torch.bfloat16),  # <- CA602
            torch._dynamo.compiled_autograd._enable(backward_compiler),
        ):
            (gradient,) = torch.autograd.grad(loss, inputs)
        print(f"step {step}: gradient {gradient.norm().item():.4f}")


if __name__ == "__main__":
    main()
