"""A temperature that is annealed as a Python float, in a function compiled for static shapes.

    ca run sample_scripts/ca702_float_value_bad.py

What to look for: CA702, with the temperatures.
"""

import torch


@torch.compile(backend="eager", dynamic=False)
def soft(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    return torch.softmax(logits / temperature, dim=-1)


def main() -> None:
    logits = torch.linspace(-1, 1, 8)
    for step in range(5):
        temperature = 1.0 - 0.1 * step  # <- CA702
        print(f"{temperature:.1f}: {soft(logits, temperature).max().item():.6f}")


if __name__ == "__main__":
    main()
