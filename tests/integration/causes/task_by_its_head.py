"""Three tasks by turns: each step is given the head of its task, and a target of its kind."""

# finds CA706 /call `head` outside/
# never /convert `target`|number of dimensions before|mark_unbacked/
import torch
from torch import nn
from torch.nn import functional


class Head(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.linear = nn.Linear(12, classes)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.linear(torch.tanh(hidden))


body = nn.Linear(6, 12)
heads = nn.ModuleDict({"size": Head(1), "kind": Head(4), "tags": Head(7)})


@torch.compile(backend="eager")
def loss_of(head: Head, rows: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    found = head(body(rows))
    if target.dtype == torch.int64:
        return functional.cross_entropy(found, target)
    return functional.mse_loss(found, target)


def batch(task: str) -> tuple[torch.Tensor, torch.Tensor]:
    rows = torch.randn(5, 6)
    if task == "kind":
        return rows, torch.randint(0, 4, (5,))
    return rows, torch.rand(5, 1 if task == "size" else 7)


optimizer = torch.optim.SGD([*body.parameters(), *heads.parameters()], 0.01)
for _ in range(3):
    for task in heads:  # <- CA706
        rows, target = batch(task)
        loss = loss_of(heads[task], rows, target)  # <- CA706
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
