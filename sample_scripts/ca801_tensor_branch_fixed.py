"""The same choice as a tensor operation: one graph.

``torch.where`` computes both sides and picks one on the device.

    ca run sample_scripts/ca801_tensor_branch_fixed.py

What to look for: no finding, no graph break.
"""

import torch


@torch.compile(backend="aot_eager")
def normalise(x):
    scale = x.abs().mean()
    return torch.where(scale > 0.5, x / scale, x) * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {normalise(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
