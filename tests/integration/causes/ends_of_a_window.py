"""A window slides over matrices: both of its ends are numbers, the second made of the first."""

# finds CA701 /outside/
import torch


@torch.compile(backend="eager")
def product(matrices: torch.Tensor, begin: int, end: int) -> torch.Tensor:
    total = matrices[begin]
    for place in range(begin + 1, end):  # <- CA701
        total = total @ matrices[place]
    return total


matrices = torch.eye(6).repeat(10, 1, 1)
for begin in range(6):  # <- CA701
    product(matrices, begin, begin + 3)  # <- CA701
