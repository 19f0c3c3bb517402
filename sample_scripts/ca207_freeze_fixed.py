"""Gradual unfreezing by discarding gradients: the fix of ``ca207_freeze_bad.py``.

Every parameter keeps ``requires_grad=True``; a layer is frozen by zeroing its gradient before
the optimizer's step. The parameters change as if it were frozen, the graph never does.

    ca run sample_scripts/ca207_freeze_fixed.py

What to look for: one capture, and nothing to report.
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
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        for layer in layers[trained:]:
            for parameter in layer.parameters():
                parameter.grad.zero_()
        optimizer.step()
        print(f"step {step}: {trained} of 3 layers trained, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
