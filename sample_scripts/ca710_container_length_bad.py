"""A compiled function sums over a list of another length in each step.

    ca run sample_scripts/ca710_container_length_bad.py

What to look for: CA710, with the lengths.
"""

import torch


@torch.compile(backend="eager")
def total(boxes: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack([box.square().sum() for box in boxes]).sum()


def main() -> None:
    for number in range(2, 6):
        boxes = [torch.full((4,), float(index)) for index in range(number)]  # <- CA710
        print(f"{number} boxes: {total(boxes).item():.6f}")


if __name__ == "__main__":
    main()
