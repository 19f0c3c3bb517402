"""Two dynamic sizes are equal in the first call, and differ later.

    ca run sample_scripts/ca713_duck_size_bad.py

What to look for: CA713, with the equality that torch assumed.
"""

import torch


@torch.compile(backend="eager", dynamic=True)
def scores(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    return queries.sum() + keys.sum()


def main() -> None:
    for rows, others in ((4, 4), (5, 6), (7, 9)):
        queries, keys = torch.ones(rows, 8), torch.ones(others, 8)
        print(f"{rows}, {others}: {scores(queries, keys).item():.1f}")  # <- CA713


if __name__ == "__main__":
    main()
