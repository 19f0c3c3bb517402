"""Compiled autograd is configured, and the backward is in a compiled function.

    ca run sample_scripts/ca604_not_engaged_fixed.py

What to look for: no finding: one capture, three hits.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)

    @torch.compile(backend="aot_eager")
    def train(inputs, targets):
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        return loss

    for step in range(4):
        optimizer.zero_grad(set_to_none=True)
        loss = train(inputs, targets)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
