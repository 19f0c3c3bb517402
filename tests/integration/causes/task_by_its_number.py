"""Three tasks by turns: a number picks the head, the loss and the target of each step."""

# finds CA701|CA703 /`which` selects another kind of step/
# never /convert `target`|number of dimensions before/
import torch
from torch import nn
from torch.nn import functional


def ranked(found: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(found, target)


def measured(found: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.mse_loss(found, target)


def tagged(found: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return functional.binary_cross_entropy_with_logits(found, target)


LOSSES = [measured, ranked, tagged]
body = nn.Sequential(nn.Linear(6, 12), nn.Tanh())
heads = nn.ModuleList([nn.Linear(12, 1), nn.Linear(12, 4), nn.Linear(12, 7)])


@torch.compile(backend="eager")
def loss_of(rows: torch.Tensor, target: torch.Tensor, which: int) -> torch.Tensor:
    return LOSSES[which](heads[which](body(rows)), target)  # <- CA701|CA703


def batch(which: int) -> tuple[torch.Tensor, torch.Tensor]:
    targets = [torch.randn(5, 1), torch.randint(0, 4, (5,)), torch.rand(5, 7)]
    return torch.randn(5, 6), targets[which]


optimizer = torch.optim.SGD([*body.parameters(), *heads.parameters()], 0.01)
for step in range(9):
    which = step % 3  # <- CA701|CA703
    loss = loss_of(*batch(which), which)  # <- CA701|CA703
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
