"""A call of a C function that Dynamo cannot trace splits the compiled forward.

``os.getpid`` is one of thousands of Python's functions that are written in C.

    ca run sample_scripts/ca804_untraceable_call_bad.py

What to look for: CA804 at ``os.getpid()``.
"""

import os

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    process = os.getpid()  # <- CA804
    return hidden * 2, process


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        out, process = forward(torch.randn(8, 4))
        print(f"step {step}: {out.sum().item():.6f} in process {process > 0}")


if __name__ == "__main__":
    main()
