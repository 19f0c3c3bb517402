"""A gradient penalty through an eager critic.

Its first backward runs in eager too, the second is captured and compiled.

    ca run sample_scripts/ca603_create_graph_fixed.py

What to look for: no finding: one capture, of the backward of the penalty.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.randn(16, 6)
    backward_compiler = torch.compile(backend="aot_eager")

    critic = model

    for step in range(3):
        optimizer.zero_grad(set_to_none=True)
        points = inputs.detach().requires_grad_()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            total = critic(points).sum()
            with torch._dynamo.compiled_autograd._disable():
                (slope,) = torch.autograd.grad(total, points, create_graph=True)
            penalty = (slope.norm(dim=1) - 1).square().mean()
            penalty.backward()
        optimizer.step()
        print(f"step {step}: penalty {penalty.item():.6f}")


if __name__ == "__main__":
    main()
