"""A tensor becomes a Python number in the middle of the compiled forward.

The value is only for the log, but reading it ends the graph.

    ca run sample_scripts/ca802_tensor_to_python_bad.py

What to look for: CA802 at ``.item()``.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    norm = hidden.norm().item()  # <- CA802
    return hidden * 2, norm


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        out, norm = forward(torch.randn(8, 4))
        print(f"step {step}: {out.sum().item():.6f}, norm {norm:.6f}")


if __name__ == "__main__":
    main()
