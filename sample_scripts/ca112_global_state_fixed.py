"""Deterministic algorithms are asked for once, before the first step.

The fix of ``ca112_global_state_bad.py``: global state that does not change during training.

    ca run sample_scripts/ca112_global_state_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step in range(4):
        inputs, labels = torch.randn(8, 6), torch.randint(0, 3, (8,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
