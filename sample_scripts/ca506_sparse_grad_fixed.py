"""An embedding with dense gradients.

They can be compiled with all else.

    ca run sample_scripts/ca506_sparse_grad_fixed.py

What to look for: no finding: one capture, in one piece.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    table = nn.Embedding(50, 8)
    head = nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.1)
    words, context = torch.randint(50, (2, 16))
    targets = torch.randn(16, 1)
    backward_compiler = torch.compile(backend="aot_eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        # The table is used twice, so two of its gradients are added.
        loss = nn.functional.mse_loss(head(table(words) + table(context)), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
