"""A mask picks as many elements as happen to be there.

The size of the result depends on the data, so the graph ends at the mask.

    ca run sample_scripts/ca807_dynamic_output_bad.py

What to look for: CA807 at the mask.
"""

import torch


@torch.compile(backend="aot_eager")
def positive_sum(x):
    hidden = torch.tanh(x)
    return hidden[hidden > 0].sum()  # <- CA807


def main() -> None:
    torch.manual_seed(0)
    inputs = torch.randn(8, 4)
    for step in range(4):
        print(f"step {step}: {positive_sum(inputs * (step + 1)).item():.6f}")


if __name__ == "__main__":
    main()
