"""The branch is outside of the compiled function.

    ca run sample_scripts/ca712_size_condition_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager", dynamic=True)
def halves(x: torch.Tensor) -> torch.Tensor:
    return x.sum(1)


def main() -> None:
    for rows in (4, 6, 7, 10, 9):
        x = torch.nn.functional.pad(torch.ones(rows, 8), (0, 0, 0, rows % 2))
        print(f"{rows} rows: {halves(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
