"""A loss that is summed in some steps and averaged in the others.

Nothing that a rule knows: the nodes are the same, no parameter comes or goes, no number is
baked in. What differs is the code of the reduction that one node keeps.

    ca run sample_scripts/ca000_unexplained_bad.py

What to look for: CA000, with that node, and the attribute before and after.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step, reduction in enumerate(["mean", "mean", "sum", "mean"]):
        optimizer.zero_grad()
        inputs, targets = torch.randn(8, 6), torch.randn(8, 3)
        loss = nn.functional.mse_loss(model(inputs), targets, reduction=reduction)  # <- CA000
        backward(loss)
        optimizer.step()
        print(f"step {step}: {reduction}, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
