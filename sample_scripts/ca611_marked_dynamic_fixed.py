"""Packs of several sizes, marked dynamic; the backward is captured.

What the forward saves keeps the mark, and the backward is compiled for all sizes, too.

    ca run sample_scripts/ca611_marked_dynamic_fixed.py

What to look for: one capture.
"""

import torch
from torch import nn

PACKS = (18, 25, 7, 31, 12, 25, 40, 9)


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 32), nn.SiLU(), nn.Linear(32, 12))
    forward = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    compiler = torch.compile(backend="aot_eager", dynamic=True)

    for step, rows in enumerate(PACKS):
        inputs = torch.randn(rows, 12)
        torch._dynamo.mark_dynamic(inputs, 0)
        with torch._dynamo.compiled_autograd._enable(compiler):
            loss = (forward(inputs).sin() - inputs).square().mean()
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: {rows} rows, {loss.item():.6f}")


if __name__ == "__main__":
    main()
