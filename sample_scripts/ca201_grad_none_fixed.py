"""Gradient accumulation with gradients that are always there.

The fix of ``ca201_grad_none_bad.py``: ``.grad`` is a tensor of zeros before the
first backward and is zeroed, not dropped, after each optimizer step, so every backward adds
to a tensor. Either half alone leaves two captures.

    ca run sample_scripts/ca201_grad_none_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

ACCUMULATE = 2


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    batches = [(torch.randn(10, 6), torch.randint(0, 3, (10,))) for _ in range(6)]
    backward_compiler = torch.compile(backend="eager")

    for step, (inputs, labels) in enumerate(batches):
        loss = nn.functional.cross_entropy(model(inputs), labels) / ACCUMULATE
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        if (step + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
