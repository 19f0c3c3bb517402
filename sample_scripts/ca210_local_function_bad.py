"""A straight-through estimator whose `autograd.Function` is defined inside the loop.

Every step makes a new class, and compiled autograd tells Functions apart by their class:
a capture at each step, with nothing else that differs.

    ca run sample_scripts/ca210_local_function_bad.py

What to look for: CA210, with the class and the line where it is defined.
"""

import torch
from torch import nn


def binarize(x):
    class Sign(torch.autograd.Function):  # <- CA210
        @staticmethod
        def forward(ctx, x):
            return x.sign()

        @staticmethod
        def backward(ctx, grad):
            return grad

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
