"""Both are one class.

    ca run sample_scripts/ca707_type_change_fixed.py

What to look for: nothing.
"""

from dataclasses import dataclass

import torch


@dataclass
class Part:
    weight: torch.Tensor


@torch.compile(backend="eager")
def weighted(x: torch.Tensor, part: Part) -> torch.Tensor:
    return x * part.weight


def main() -> None:
    x = torch.linspace(0, 1, 8)
    parts = (Part(torch.tensor(0.5)), Part(torch.tensor(2.0)))
    for step in range(4):
        part = parts[step % 2]
        print(f"step {step}: {weighted(x, part).sum().item():.6f}")


if __name__ == "__main__":
    main()
