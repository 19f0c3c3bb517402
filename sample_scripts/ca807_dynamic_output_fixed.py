"""The elements that are not wanted count as zero: sizes are known.

One graph.

    ca run sample_scripts/ca807_dynamic_output_fixed.py

What to look for: no finding, no graph break.
"""

import torch


@torch.compile(backend="aot_eager")
def positive_sum(x):
    hidden = torch.tanh(x)
    return torch.where(hidden > 0, hidden, 0).sum()


def main() -> None:
    torch.manual_seed(0)
    inputs = torch.randn(8, 4)
    for step in range(4):
        print(f"step {step}: {positive_sum(inputs * (step + 1)).item():.6f}")


if __name__ == "__main__":
    main()
