"""A single sample comes without the dimension of the batch.

    ca run sample_scripts/ca709_rank_change_bad.py

What to look for: CA709, with both numbers of dimensions.
"""

import torch


@torch.compile(backend="eager")
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main() -> None:
    batch = torch.linspace(0, 1, 8)[None]
    for step in range(4):
        x = batch[0] if step % 2 else batch  # <- CA709
        print(f"step {step}: {doubled(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
