"""A number that counts up is given to a compiled function as a tensor.

    ca run sample_scripts/ca612_limit_is_error_fixed.py

What to look for: one compile.
"""

import torch


def scale(x: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return x * k


def main() -> None:
    torch.manual_seed(0)
    fast = torch.compile(scale, backend="eager", fullgraph=True, dynamic=False)
    for k in range(12):
        print(f"step {k}: {fast(torch.randn(3), torch.tensor(k)).sum().item():.6f}")


if __name__ == "__main__":
    main()
