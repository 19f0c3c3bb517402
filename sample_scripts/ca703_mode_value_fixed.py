"""The same tasks: what differs is chosen outside, and passed as a tensor.

    ca run sample_scripts/ca703_mode_value_fixed.py

What to look for: nothing.
"""

import torch

TASKS = ("depth", "normals", "edges", "masks")


@torch.compile(backend="eager")
def head(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return x * scale


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for task in TASKS * 2:
        scale = torch.tensor(1 + len(task) if task == "depth" else len(task))
        print(f"{task}: {head(x, scale).sum().item():.6f}")


if __name__ == "__main__":
    main()
