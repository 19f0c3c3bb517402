"""Code branches on whether a size that is dynamic is even.

    ca run sample_scripts/ca712_size_condition_bad.py

What to look for: CA712, with the condition and the size that broke it.
"""

import torch


@torch.compile(backend="eager", dynamic=True)
def halves(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] % 2:  # <- CA712
        x = torch.nn.functional.pad(x, (0, 0, 0, 1))
    return x.sum(1)


def main() -> None:
    for rows in (4, 6, 7, 10, 9):
        print(f"{rows} rows: {halves(torch.ones(rows, 8)).sum().item():.6f}")


if __name__ == "__main__":
    main()
