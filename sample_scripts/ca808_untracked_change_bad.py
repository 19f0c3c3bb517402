"""The compiled forward gives a tensor that it made other data.

Dynamo does not follow ``.data`` of such a tensor: the graph ends at the assignment.

    ca run sample_scripts/ca808_untracked_change_bad.py

What to look for: CA808 at the assignment.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    hidden.data = hidden.clamp(-0.5, 0.5)  # <- CA808
    return hidden * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
