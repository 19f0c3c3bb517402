"""Gradient accumulation over two batches, with ``zero_grad(set_to_none=True)``.

The first batch of each window finds ``.grad`` None and stores the gradient, the second one
finds a tensor and adds to it: two backwards to compiled autograd, so two captures.

    ca run sample_scripts/ca201_grad_none_bad.py

What to look for: CA201, with the names of the parameters whose ``.grad`` was None.
"""

import torch
from torch import nn

ACCUMULATE = 2


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [(torch.randn(10, 6), torch.randint(0, 3, (10,))) for _ in range(6)]
    backward_compiler = torch.compile(backend="eager")

    for step, (inputs, labels) in enumerate(batches):
        loss = nn.functional.cross_entropy(model(inputs), labels) / ACCUMULATE
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        if (step + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)  # <- CA201
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
