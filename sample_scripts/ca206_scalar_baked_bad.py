"""An exponent that is annealed as a Python float.

``pow`` saves the float for its backward, where it is part of compiled autograd's key: one
capture for each value.

    ca run sample_scripts/ca206_scalar_baked_bad.py

What to look for: CA206, with the attribute and the values it took.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(5):
        exponent = 2.0 + 0.25 * step
        optimizer.zero_grad(set_to_none=True)
        loss = (model(inputs) - targets).abs().pow(exponent).mean()  # <- CA206
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: exponent {float(exponent):.2f}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
