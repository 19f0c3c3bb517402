"""A log line inside the compiled forward splits it.

It is never shown at this level, but the graph ends there in every step.

    ca run sample_scripts/ca803_output_in_forward_bad.py

What to look for: CA803 at ``logger.info``.
"""

import logging

import torch

logger = logging.getLogger(__name__)


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    logger.info("hidden is ready")  # <- CA803
    return hidden * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
