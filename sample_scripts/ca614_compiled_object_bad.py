"""Weights are put into the module that `torch.compile` returned. Ends with an error.

    ca run sample_scripts/ca614_compiled_object_bad.py

What to look for: CA614 at the line that compiles: its weights are called `_orig_mod.…`.
"""

import torch
from torch import nn


def net() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))


def main() -> None:
    torch.manual_seed(0)
    saved = net().state_dict()
    model = torch.compile(net(), backend="eager")  # <- CA614
    model.load_state_dict(saved)
    for step in range(4):
        print(f"step {step}: {model(torch.randn(4, 8)).mean().item():.6f}")


if __name__ == "__main__":
    main()
