"""A hook that collects gradient norms in a list.

Dynamo compiles the hook into the backward and guards on the Python state that it reads,
the length of the list among it. The list grows with every backward, so the captured graph
is compiled anew at every hit, up to Dynamo's limit, and then runs uncompiled.

    ca run sample_scripts/ca303_hook_state_bad.py

What to look for: CA303: one capture, and a recompile of its graph at each step.
"""

import torch
from torch import nn

STEPS = 6


class NormLog:
    def __init__(self) -> None:
        self.norms = []

    def __call__(self, grad):
        self.norms.append(grad.norm())  # <- CA303
        return grad


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    log = NormLog()
    model[0].weight.register_hook(log)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}, norm {log.norms[step].item():.6f}")


if __name__ == "__main__":
    main()
