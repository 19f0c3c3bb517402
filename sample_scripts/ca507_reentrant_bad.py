"""Reentrant checkpointing: a backward within the backward.

``CheckpointFunction.backward`` calls the autograd engine itself, and Dynamo does not trace
into that: the compiled backward is cut at every checkpoint.

    ca run sample_scripts/ca507_reentrant_bad.py

What to look for: CA507 at the backward call.
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
    inputs.requires_grad_()

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        inputs.grad = None
        hidden = inputs
        for block in blocks:
            hidden = checkpoint(block, hidden, use_reentrant=True)  # <- CA507
        loss = hidden.square().mean()
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
