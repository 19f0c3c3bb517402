"""A traced copy of a function is compiled in every step.

    ca run sample_scripts/ca717_compiled_in_loop_bad.py

What to look for: CA717, with how often it was compiled.
"""

import torch


def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main() -> None:
    x = torch.linspace(0, 1, 8)
    for step in range(4):
        step_function = torch.compile(torch.fx.symbolic_trace(doubled), backend="eager")  # <- CA717
        print(f"step {step}: {step_function(x).sum().item():.6f}")


if __name__ == "__main__":
    main()
