"""A model that is switched to ``eval()`` on some training steps.

In evaluation mode dropout leaves no nodes in the autograd graph and batch norm has another
backward, so each mode is captured once.

    ca run sample_scripts/ca205_mode_flip_bad.py

What to look for: CA205, with the modules whose ``training`` flag differs.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.1), nn.Linear(12, 1)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        model.train(step < 2)  # from here on with the statistics as they are  # <- CA205
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")

    with torch.no_grad():
        loss = nn.functional.mse_loss(model.eval()(inputs), targets)
    print(f"validation: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
