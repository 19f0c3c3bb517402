"""Two sequences happen to have one length in the first call of a dynamic function."""

# finds CA713 /mark_dynamic|differ|use_duck_shape/
import torch


@torch.compile(backend="eager", dynamic=True)
def overlap(*, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return (left[:, None] - right[None]).abs().sum()


def run(sizes: list[tuple[int, int]]) -> None:
    for first, second in sizes:  # <- CA713
        a, b = torch.randn(first), torch.randn(second)
        overlap(left=a, right=b)  # <- CA713


run([(7, 7), (5, 9), (6, 8), (9, 4)])
