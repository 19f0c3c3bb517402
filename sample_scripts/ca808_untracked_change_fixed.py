"""The forward makes a new tensor in place of changing ``.data``.

One graph.

    ca run sample_scripts/ca808_untracked_change_fixed.py

What to look for: no finding, no graph break.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    return hidden.clamp(-0.5, 0.5) * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
