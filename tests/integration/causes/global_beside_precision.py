"""A module's number is set through a function, and one call in three is in another precision."""

# finds CA705|CA701 /tensor/
# finds CA708|CA707 /dtype|float32|\.to\(/
import torch

ROUNDS = 1


def next_round() -> None:
    global ROUNDS
    ROUNDS += 3  # <- CA705|CA701


@torch.compile(backend="eager", dynamic=False)
def distance(first: torch.Tensor, second: torch.Tensor, third: torch.Tensor) -> torch.Tensor:
    return ((first - second) * ROUNDS + third).square().sum()


def pairs(size: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(size), torch.randn(size)


for _ in range(4):
    next_round()
    for _ in range(2):
        distance(*pairs(5), torch.randn(5))
    distance(*pairs(5), torch.randn(5).to(torch.float64))  # <- CA708|CA707
