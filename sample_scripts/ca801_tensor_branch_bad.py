"""A branch on a tensor's value splits the compiled forward.

Dynamo cannot know which way the ``if`` goes, so Python decides it in every step.

    ca run sample_scripts/ca801_tensor_branch_bad.py

What to look for: CA801 at the ``if``.
"""

import torch


@torch.compile(backend="aot_eager")
def normalise(x):
    scale = x.abs().mean()
    if scale > 0.5:  # <- CA801
        x = x / scale
    return x * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {normalise(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
