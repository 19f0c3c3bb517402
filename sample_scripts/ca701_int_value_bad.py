"""A number of rounds, a Python int, drives a loop in a compiled function.

    ca run sample_scripts/ca701_int_value_bad.py

What to look for: CA701, with the values of ``rounds`` and the line of the call with them.
"""

import torch


@torch.compile(backend="eager")
def smoothed(x: torch.Tensor, rounds: int) -> torch.Tensor:
    for _ in range(rounds):
        x = (x + x.roll(1)) / 2
    return x


def main() -> None:
    signal = torch.linspace(0, 1, 16)
    for rounds in range(2, 7):
        print(f"{rounds} rounds: {smoothed(signal, rounds).std().item():.6f}")  # <- CA701


if __name__ == "__main__":
    main()
