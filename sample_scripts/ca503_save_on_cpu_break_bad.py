"""Saved tensors kept in host memory by ``save_on_cpu``.

Its unpack hook is a function of torch's that Dynamo does not trace: the compiled backward is
cut at every saved tensor.

    ca run sample_scripts/ca503_save_on_cpu_break_bad.py

What to look for: CA503 at the backward call.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        with torch.autograd.graph.save_on_cpu():  # <- CA503
            loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
