"""The name of a task selects a path in a compiled function.

    ca run sample_scripts/ca703_mode_value_bad.py

What to look for: CA703, with the names of the tasks.
"""

import torch

TASKS = ("depth", "normals", "edges", "masks")


@torch.compile(backend="eager")
def head(x: torch.Tensor, task: str) -> torch.Tensor:
    return x * (1 + len(task)) if task == "depth" else x * len(task)


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for task in TASKS * 2:  # <- CA703
        print(f"{task}: {head(x, task).sum().item():.6f}")


if __name__ == "__main__":
    main()
