"""An embedding with sparse gradients, used twice.

Dynamo cannot hold a sparse tensor: the compiled backward is cut where the two gradients are
added.

    ca run sample_scripts/ca506_sparse_grad_bad.py

What to look for: CA506 with the table's name, at the backward call.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    table = nn.Embedding(50, 8, sparse=True)  # <- CA506
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
