"""One row of a table is taken in each step, by a tensor.

The fix of ``ca104_index_baked_bad.py``: ``index_select`` saves the index as a tensor, which is
an input of the captured graph. ``table[torch.tensor(row)]`` does not help: torch turns a
tensor of one number back into an int.

    ca run sample_scripts/ca104_index_baked_fixed.py

What to look for: one capture, and nothing to report.
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
        loss = head(table.index_select(0, torch.tensor([row]))).square().sum()
        backward(loss)
        optimizer.step()
        print(f"step {step}: row {row}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
