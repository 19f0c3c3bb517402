"""An optimizer that steps in the backward, to free each gradient at once.

``optimizer.step`` is Python on dictionaries: Dynamo breaks in it and guards on what it finds,
once for each parameter.

    ca run sample_scripts/ca504_optimizer_in_backward_bad.py

What to look for: CA504 at the call of ``step`` in the hook.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    def update(parameter):
        optimizers[parameter].step()  # <- CA504

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(update)

    for step in range(4):
        for parameter in model.parameters():
            parameter.grad = None
        loss = nn.functional.mse_loss(model(inputs), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
