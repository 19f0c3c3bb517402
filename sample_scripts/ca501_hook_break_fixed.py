"""A hook that decides by a value of the gradient, on tensors.

``torch.where`` leaves the decision to the compiled graph.

    ca run sample_scripts/ca501_hook_break_fixed.py

What to look for: no finding: one capture, in one piece.
"""

import torch
from torch import nn


def clip(grad):
    norm = grad.norm()
    return torch.where(norm > 0.05, grad * (0.05 / norm), grad)


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")
    model[0].weight.register_hook(clip)

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
