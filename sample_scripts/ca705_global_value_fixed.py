"""The number is an argument, a tensor.

    ca run sample_scripts/ca705_global_value_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager")
def scaled(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return x * scale


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for scale in range(2, 7):
        print(f"{scale}: {scaled(x, torch.tensor(scale)).sum().item():.6f}")


if __name__ == "__main__":
    main()
