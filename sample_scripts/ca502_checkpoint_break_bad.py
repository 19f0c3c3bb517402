"""Activation checkpointing of an eager forward.

Each saved tensor is recomputed by a Python function of torch's that Dynamo does not trace:
the compiled backward is cut at every one.

    ca run sample_scripts/ca502_checkpoint_break_bad.py

What to look for: CA502 at the backward call, with the number of breaks and the module that was
checkpointed as the fix.
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def main() -> None:
    torch.manual_seed(0)
    blocks = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(3))
    optimizer = torch.optim.SGD(blocks.parameters(), lr=0.1)
    inputs = torch.randn(16, 8)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        hidden = inputs
        for block in blocks:
            hidden = checkpoint(block, hidden, use_reentrant=False)  # <- CA502
        loss = hidden.square().mean()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
