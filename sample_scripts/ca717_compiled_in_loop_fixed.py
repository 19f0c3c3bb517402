"""It is traced and compiled once.

    ca run sample_scripts/ca717_compiled_in_loop_fixed.py

What to look for: nothing.
"""

import torch


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main() -> None:
    x = torch.linspace(0, 1, 8)
    step_function = torch.compile(torch.fx.symbolic_trace(doubled), backend="eager")
    for step in range(4):
        print(f"step {step}: {step_function(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
