"""Saved tensors kept in host memory by hooks that can be traced.

Two functions of one's own do what ``save_on_cpu`` does.

    ca run sample_scripts/ca503_save_on_cpu_break_fixed.py

What to look for: no finding: one capture, in one piece.
"""

import torch
from torch import nn


def to_host(tensor):
    return tensor.device, tensor.to("cpu")


def from_host(packed):
    device, tensor = packed
    return tensor.to(device)


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        with torch.autograd.graph.saved_tensors_hooks(to_host, from_host):
            loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
