"""A context manager that Dynamo cannot enter, inside the compiled forward.

Dynamo gives up the whole function: nothing of it is compiled.

    ca run sample_scripts/ca806_context_manager_bad.py

What to look for: CA806 at the ``with``.
"""

import torch


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    with torch.autograd.set_detect_anomaly(False):  # <- CA806
        return hidden * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
