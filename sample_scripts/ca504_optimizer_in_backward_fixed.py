"""An update in the backward, on tensors only.

The update is written out and the learning rate is a tensor: nothing in it for Dynamo to break
at or to guard on.

    ca run sample_scripts/ca504_optimizer_in_backward_fixed.py

What to look for: no finding: one capture, in one piece.
"""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    learning_rate = torch.tensor(0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    def update(parameter):
        with torch.no_grad():
            parameter.sub_(learning_rate * parameter.grad)

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
