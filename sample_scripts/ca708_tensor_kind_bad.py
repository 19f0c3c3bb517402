"""Every other batch is float64.

    ca run sample_scripts/ca708_tensor_kind_bad.py

What to look for: CA708, with both dtypes.
"""

import torch


@torch.compile(backend="eager")
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        batch = x if step % 2 else x.double()  # <- CA708
        print(f"step {step}: {doubled(batch).sum().item():.6f}")


if __name__ == "__main__":
    main()
