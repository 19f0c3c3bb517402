"""A number that counts up is compiled into a function as a constant. Ends with an error.

With `fullgraph=True` Dynamo may not leave the function to Python after its recompile limit.

    ca run sample_scripts/ca612_limit_is_error_bad.py

What to look for: CA612, and CA701 for the recompiles.
"""

import torch


def scale(x: torch.Tensor, k: int) -> torch.Tensor:
    return x * k


def main() -> None:
    torch.manual_seed(0)
    fast = torch.compile(scale, backend="eager", fullgraph=True, dynamic=False)
    for k in range(12):
        print(f"step {k}: {fast(torch.randn(3), k).sum().item():.6f}")  # <- CA612


if __name__ == "__main__":
    main()
