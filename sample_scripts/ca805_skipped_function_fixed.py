"""Without the ``graph_break()``.

One graph.

    ca run sample_scripts/ca805_skipped_function_fixed.py

What to look for: no finding, no graph break.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    return torch.tanh(x) * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
