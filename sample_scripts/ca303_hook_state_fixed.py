"""A hook that keeps gradient norms in a tensor: the fix of ``ca303_hook_state_bad.py``.

A tensor's values are not guarded on, so the captured graph is compiled once.

    ca run sample_scripts/ca303_hook_state_fixed.py

What to look for: one capture, and nothing to report.
"""

import torch
from torch import nn

STEPS = 6


class NormLog:
    def __init__(self) -> None:
        self.norms = torch.zeros(STEPS)
        self.step = torch.zeros((), dtype=torch.int64)

    def __call__(self, grad):
        self.norms.index_copy_(0, self.step[None], grad.norm()[None])
        self.step += 1
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
