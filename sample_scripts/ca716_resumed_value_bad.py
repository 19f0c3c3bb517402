"""A number read from a tensor breaks the graph; the rest is compiled for each number.

    ca run sample_scripts/ca716_resumed_value_bad.py

What to look for: CA716, at the line of the break, with the numbers.
"""

import torch


@torch.compile(backend="eager")
def scaled(x: torch.Tensor) -> torch.Tensor:
    rounds = int(x.max())  # <- CA716
    for _ in range(rounds):
        x = x / 2
    return x


def main() -> None:
    for top in range(2, 7):
        x = torch.linspace(0, float(top), 8)
        print(f"up to {top}: {scaled(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
