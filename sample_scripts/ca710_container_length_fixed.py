"""The list is one tensor of one size.

    ca run sample_scripts/ca710_container_length_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager")
def total(boxes: torch.Tensor) -> torch.Tensor:
    return boxes.square().sum()


def main() -> None:
    for number in range(2, 6):
        boxes = [torch.full((4,), float(index)) for index in range(number)]
        padded = torch.zeros(8, 4)
        padded[:number] = torch.stack(boxes)
        print(f"{number} boxes: {total(padded).item():.6f}")


if __name__ == "__main__":
    main()
