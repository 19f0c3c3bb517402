"""One tensor is passed twice in some calls.

    ca run sample_scripts/ca714_alias_inputs_bad.py

What to look for: CA714, with the names of both arguments.
"""

import torch


@torch.compile(backend="eager")
def mixed(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return left * 2 + right


def main() -> None:
    x, y = torch.linspace(0, 1, 8), torch.ones(8)
    for step in range(4):
        print(f"step {step}: {mixed(x, x if step % 2 else y).sum().item():.6f}")  # <- CA714


if __name__ == "__main__":
    main()
