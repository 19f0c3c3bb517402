"""A global number that changes is read in a compiled function.

    ca run sample_scripts/ca705_global_value_bad.py

What to look for: CA705, with the global's values.
"""

import torch

scale = 2


@torch.compile(backend="eager")
def scaled(x: torch.Tensor) -> torch.Tensor:
    return x * scale


def main() -> None:
    global scale
    x = torch.linspace(0, 1, 8)
    for scale in range(2, 7):  # <- CA705
        print(f"{scale}: {scaled(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
