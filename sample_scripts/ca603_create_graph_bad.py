"""A gradient penalty through a compiled critic. Ends with an error.

AOTAutograd compiles a backward, and no backward of that one.

    ca run sample_scripts/ca603_create_graph_bad.py

What to look for: CA603 at the call with ``create_graph=True``.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.randn(16, 6)
    backward_compiler = torch.compile(backend="aot_eager")

    critic = torch.compile(model, backend="aot_eager")

    for step in range(3):
        optimizer.zero_grad(set_to_none=True)
        points = inputs.detach().requires_grad_()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            total = critic(points).sum()
            (slope,) = torch.autograd.grad(total, points, create_graph=True)  # <- CA603
            penalty = (slope.norm(dim=1) - 1).square().mean()
            penalty.backward()
        optimizer.step()
        print(f"step {step}: penalty {penalty.item():.6f}")


if __name__ == "__main__":
    main()
