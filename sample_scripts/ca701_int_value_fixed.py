"""The same rounds, with the loop outside of the compiled function.

    ca run sample_scripts/ca701_int_value_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager")
def smoothed_once(x: torch.Tensor) -> torch.Tensor:
    return (x + x.roll(1)) / 2


def main() -> None:
    signal = torch.linspace(0, 1, 16)
    for rounds in range(2, 7):
        x = signal
        for _ in range(rounds):
            x = smoothed_once(x)
        print(f"{rounds} rounds: {x.std().item():.6f}")


if __name__ == "__main__":
    main()
