"""The keys of a batch differ from step to step.

    ca run sample_scripts/ca711_container_keys_bad.py

What to look for: CA711, with the keys.
"""

import torch


@torch.compile(backend="eager")
def total(batch: dict[str, torch.Tensor]) -> torch.Tensor:
    return torch.stack([part.sum() for part in batch.values()]).sum()


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        batch = {"image": x, "mask": x} if step % 2 else {"image": x, "depth": x}  # <- CA711
        print(f"step {step}: {total(batch).item():.6f}")


if __name__ == "__main__":
    main()
