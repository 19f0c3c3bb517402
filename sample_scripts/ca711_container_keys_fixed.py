"""All batches have the same keys.

    ca run sample_scripts/ca711_container_keys_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager")
def total(batch: dict[str, torch.Tensor]) -> torch.Tensor:
    return torch.stack([part.sum() for part in batch.values()]).sum()


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        batch = {"image": x, "extra": x + step % 2}
        print(f"step {step}: {total(batch).item():.6f}")


if __name__ == "__main__":
    main()
