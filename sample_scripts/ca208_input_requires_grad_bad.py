"""An input penalty that is computed on every other step only.

On those steps the batch itself requires grad, so the backward also computes and stores a
gradient for it. With the flag off it is another backward.

    ca run sample_scripts/ca208_input_requires_grad_bad.py

What to look for: CA208, with the variable whose ``requires_grad`` differs.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    targets = torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(6):
        attacked = step % 2 == 1
        batch = torch.randn(16, 6, requires_grad=attacked)  # <- CA208
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(batch), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        steepest = batch.grad.abs().max().item() if attacked else 0.0
        print(f"step {step}: loss {loss.item():.6f}, steepest {steepest:.6f}")


if __name__ == "__main__":
    main()
