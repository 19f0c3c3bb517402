"""A row of a table is chosen by a Python int that comes down to 1 and 0."""

# finds CA104|CA103 /index_select/
# never /pad lengths/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
table, head = nn.Parameter(torch.randn(5, 6)), nn.Linear(6, 3)
for parameter in (table, *head.parameters()):
    parameter.grad = torch.zeros_like(parameter)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for step in range(8):
    row = (3, 2, 4, 1, 0)[step % 5]
    scores = head(torch.randn(4, 6) * table[row])  # <- CA104|CA103
    backward(nn.functional.cross_entropy(scores, torch.tensor([0, 1, 2, 0])))
