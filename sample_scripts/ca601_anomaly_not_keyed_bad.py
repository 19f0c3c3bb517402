"""Anomaly mode that is switched on after the first steps.

The backward was captured without the check for NaNs, and the mode is no part of the cache's
key: the check is never made.

    ca run sample_scripts/ca601_anomaly_not_keyed_bad.py

What to look for: CA601 at the backward call, an error: NaNs would pass without a word.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        torch.autograd.set_detect_anomaly(step >= 2)  # <- CA601
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
