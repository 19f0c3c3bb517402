"""All batches are float32.

    ca run sample_scripts/ca708_tensor_kind_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager")
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        batch = x.clone() if step % 2 else x.double().to(torch.float32)
        print(f"step {step}: {doubled(batch).sum().item():.6f}")


if __name__ == "__main__":
    main()
