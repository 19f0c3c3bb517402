"""A contrastive loss whose second view is the first one on some steps.

With one tensor in both places compiled autograd lifts it once instead of twice, so the
backward is another one.

    ca run sample_scripts/ca212_alias_bad.py

What to look for: CA212, with the two places that hold one tensor.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Linear(6, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.randn(16, 6)
    backward_compiler = torch.compile(backend="eager")

    for step in range(6):
        augmented = step % 3 != 2
        view = inputs + 0.1 * torch.randn(16, 6) if augmented else inputs  # <- CA212
        optimizer.zero_grad(set_to_none=True)
        left, right = model(inputs), model(view)
        loss = (left - right).square().mean() - 0.1 * (left * right).mean().tanh()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: augmented {augmented}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
