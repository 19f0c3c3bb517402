"""Batches of changing size, none of them smaller than two samples.

The fix of ``ca103_zero_one_bad.py``: one graph serves every size from 2 on.

    ca run sample_scripts/ca103_zero_one_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True

BATCHES = [8, 6, 5, 2, 7, 2]


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="eager", dynamic=True)
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step, batch in enumerate(BATCHES):
        inputs, labels = torch.randn(batch, 6), torch.randint(0, 3, (batch,))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        backward(loss)
        optimizer.step()
        print(f"step {step}: {batch} samples, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
