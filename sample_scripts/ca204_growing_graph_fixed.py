"""A running total of the loss, detached: the fix of ``ca204_growing_graph_bad.py``.

What earlier steps left behind is a number without a graph, so each backward is as large as
the one before it and nothing has to be retained.

    ca run sample_scripts/ca204_growing_graph_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    inputs, targets = torch.randn(16, 4), torch.randn(16, 1)
    total = torch.zeros(())
    backward_compiler = torch.compile(backend="eager")

    for step in range(6):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        objective = loss + 0.01 * (total + loss)
        total = total + loss.detach()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            objective.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}, total {total.item():.6f}")


if __name__ == "__main__":
    main()
