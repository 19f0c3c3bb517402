"""The number stays a tensor.

    ca run sample_scripts/ca716_resumed_value_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager")
def scaled(x: torch.Tensor) -> torch.Tensor:
    return x / 2 ** x.max().floor()


def main() -> None:
    for top in range(2, 7):
        x = torch.linspace(0, float(top), 8)
        print(f"up to {top}: {scaled(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
