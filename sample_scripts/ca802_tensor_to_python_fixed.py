"""The value stays a tensor until the compiled forward has returned.

One graph; the caller reads it.

    ca run sample_scripts/ca802_tensor_to_python_fixed.py

What to look for: no finding, no graph break.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    return hidden * 2, hidden.norm()


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        out, norm = forward(torch.randn(8, 4))
        print(f"step {step}: {out.sum().item():.6f}, norm {norm.item():.6f}")


if __name__ == "__main__":
    main()
