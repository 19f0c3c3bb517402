"""The call is made outside of the compiled forward.

One graph.

    ca run sample_scripts/ca804_untraceable_call_fixed.py

What to look for: no finding, no graph break.
"""

import os

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    return torch.tanh(x) * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        out, process = forward(torch.randn(8, 4)), os.getpid()
        print(f"step {step}: {out.sum().item():.6f} in process {process > 0}")


if __name__ == "__main__":
    main()
