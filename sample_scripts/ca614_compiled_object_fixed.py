"""Weights are put into a module that was compiled in place, and has its own names.

    ca run sample_scripts/ca614_compiled_object_fixed.py

What to look for: no CA614.
"""

import torch
from torch import nn


def net() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))


def main() -> None:
    torch.manual_seed(0)
    saved = net().state_dict()
    model = net()
    model.compile(backend="eager")
    model.load_state_dict(saved)
    for step in range(4):
        print(f"step {step}: {model(torch.randn(4, 8)).mean().item():.6f}")


if __name__ == "__main__":
    main()
