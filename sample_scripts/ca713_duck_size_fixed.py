"""The sizes differ in the first call.

    ca run sample_scripts/ca713_duck_size_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager", dynamic=True)
def scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    return queries.sum() + keys.sum()


def main() -> None:
    for rows, others in ((5, 6), (4, 4), (7, 9)):
        queries, keys = torch.ones(rows, 8), torch.ones(others, 8)
        print(f"{rows}, {others}: {scores(queries, keys).item():.1f}")


if __name__ == "__main__":
    main()
