"""A graph break of a kind that no other rule is about.

``Tensor.random_`` is one of the operations that Dynamo leaves to Python.

    ca run sample_scripts/ca809_other_break_bad.py

What to look for: CA809 at ``random_``, with torch's own explanation.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    noise = torch.empty_like(x).random_(0, 2)  # <- CA809
    return hidden * noise


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
