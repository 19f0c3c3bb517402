"""One row of a table is taken in each step, by a Python int.

The index is a part of the autograd graph: ``SelectBackward`` saves it. With another index the
backward is captured again; from then on the index is an input, and Dynamo compiles the new
graph for the one value that it has seen.

    ca run sample_scripts/ca104_index_baked_bad.py

What to look for: CA104, with the node and the two indices.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    table = nn.Parameter(torch.randn(12, 6))
    head = nn.Linear(6, 3)
    optimizer = torch.optim.SGD([table, *head.parameters()], lr=0.1)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step, row in enumerate([3, 5, 8, 4]):
        optimizer.zero_grad()
        loss = head(table[row]).square().sum()  # <- CA104
        backward(loss)
        optimizer.step()
        print(f"step {step}: row {row}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
