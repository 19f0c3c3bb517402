"""A straight-through estimator defined at module level: the fix of ``ca210_local_function_bad.py``.

There is one class, so there is one backward.

    ca run sample_scripts/ca210_local_function_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad


def binarize(x):
    return Sign.apply(x)


def main() -> None:
    torch.manual_seed(0)
    model, head = nn.Linear(6, 12), nn.Linear(12, 1)
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(head(binarize(model(inputs))), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
