"""Two losses in turn, each with a ``backward()`` of its own.

The backward starts at the loss, so another loss is another backward from its first node on.

    ca run sample_scripts/ca209_root_changed_bad.py

What to look for: CA209, with the nodes that the backwards started from.
"""

import torch
from torch import nn
from torch.nn import functional


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 6), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(6):
        optimizer.zero_grad(set_to_none=True)
        predicted = model(inputs)
        if step % 2 == 0:
            loss = functional.mse_loss(predicted, targets)
        else:
            loss = functional.l1_loss(predicted, targets)  # <- CA209
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
