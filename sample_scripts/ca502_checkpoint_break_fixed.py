"""Activation checkpointing within the compiled forward.

There torch.compile decides what is recomputed, and the backward has no Python in it.

    ca run sample_scripts/ca502_checkpoint_break_fixed.py

What to look for: no finding: one capture, in one piece.
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def main() -> None:
    torch.manual_seed(0)
    blocks = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(3))
    optimizer = torch.optim.SGD(blocks.parameters(), lr=0.1)
    inputs = torch.randn(16, 8)
    backward_compiler = torch.compile(backend="aot_eager")

    @torch.compile(backend="aot_eager")
    def forward(hidden):
        for block in blocks:
            hidden = checkpoint(block, hidden, use_reentrant=False)
        return hidden.square().mean()

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = forward(inputs)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
