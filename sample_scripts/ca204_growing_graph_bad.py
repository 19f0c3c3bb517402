"""A running total of the loss that is never detached.

The penalty looks at the mean loss so far, and that total still carries the autograd graphs
of all earlier steps. Each backward walks one graph more than the one before it, and
``retain_graph=True`` hides the error that would have told.

    ca run sample_scripts/ca204_growing_graph_bad.py

What to look for: CA204, a capture at each step, and the number of nodes carried over.
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
        total = total + loss  # <- CA204
        objective = loss + 0.01 * total
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            objective.backward(retain_graph=True)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}, total {total.item():.6f}")


if __name__ == "__main__":
    main()
