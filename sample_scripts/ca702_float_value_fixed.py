"""The same temperatures, as tensors.

    ca run sample_scripts/ca702_float_value_fixed.py

What to look for: nothing.
"""

import torch


@torch.compile(backend="eager", dynamic=False)
def soft(logits: torch.Tensor, temperature: torch.Tensor) -> torch.Tensor:
    return torch.softmax(logits / temperature, dim=-1)


def main() -> None:
    logits = torch.linspace(-1, 1, 8)
    for step in range(5):
        temperature = 1.0 - 0.1 * step
        print(f"{temperature:.1f}: {soft(logits, torch.tensor(temperature)).max().item():.6f}")


if __name__ == "__main__":
    main()
