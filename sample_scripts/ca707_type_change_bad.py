"""Objects of two classes come by turns.

    ca run sample_scripts/ca707_type_change_bad.py

What to look for: CA707, with both classes.
"""

from dataclasses import dataclass

import torch


@dataclass
class Weak:
    weight: torch.Tensor


@dataclass
class Strong:
    weight: torch.Tensor


@torch.compile(backend="eager")
def weighted(x: torch.Tensor, part: Weak | Strong) -> torch.Tensor:
    return x * part.weight


def main() -> None:
    x = torch.linspace(0, 1, 8)
    parts = (Weak(torch.tensor(0.5)), Strong(torch.tensor(2.0)))
    for step in range(4):
        part = parts[step % 2]  # <- CA707
        print(f"step {step}: {weighted(x, part).sum().item():.6f}")


if __name__ == "__main__":
    main()
