"""Dynamo leaves out the log line: one graph.

``ignore_logging_functions`` names the method that is not wanted in compiled code.

    ca run sample_scripts/ca803_output_in_forward_fixed.py

What to look for: no finding, no graph break.
"""

import logging

import torch

logger = logging.getLogger(__name__)
torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)


@torch.compile(backend="aot_eager")
def forward(x):
    hidden = torch.tanh(x)
    logger.info("hidden is ready")
    return hidden * 2


def main() -> None:
    torch.manual_seed(0)
    for step in range(4):
        print(f"step {step}: {forward(torch.randn(8, 4)).sum().item():.6f}")


if __name__ == "__main__":
    main()
