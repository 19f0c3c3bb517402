"""A graph break that was put in to find a fault, and left there.

``torch._dynamo.graph_break()`` splits the forward in every step.

    ca run sample_scripts/ca805_skipped_function_bad.py

What to look for: CA805 at ``graph_break()``.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    torch._dynamo.graph_break()  # <- CA805
    return hidden * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
