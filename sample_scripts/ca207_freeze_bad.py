"""Gradual unfreezing: one more layer is trained every two steps.

A frozen layer has no AccumulateGrad node, and nothing below the lowest trained layer is in
the autograd graph at all, so each stage is captured anew.

    ca run sample_scripts/ca207_freeze_bad.py

What to look for: CA207, with the parameters whose ``requires_grad`` changed.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")
    layers = [model[4], model[2], model[0]]

    for step in range(6):
        trained = 1 + step // 2
        for number, layer in enumerate(layers):
            layer.requires_grad_(number < trained)  # <- CA207
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: {trained} of 3 layers trained, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
