"""An operation that Dynamo traces: one graph.

``torch.randint_like`` makes the same numbers.

    ca run sample_scripts/ca809_other_break_fixed.py

What to look for: no finding, no graph break.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    noise = torch.randint_like(x, 0, 2)
    return hidden * noise


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
