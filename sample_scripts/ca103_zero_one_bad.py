"""Batches of changing size, and among them one of a single sample.

A size that has changed becomes an input of the graph, and serves every value, except 0 and
1: Dynamo compiles for these by themselves, because so much broadcasts there. So the batch of
one sample costs a compile although the sizes are dynamic by then.

    ca run sample_scripts/ca103_zero_one_bad.py

What to look for: CA103, with the guard ``2 <= …`` that the batch of one failed.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True

BATCHES = [8, 6, 5, 1, 7, 1]


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="eager", dynamic=True)
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step, batch in enumerate(BATCHES):
        inputs, labels = torch.randn(batch, 6), torch.randint(0, 3, (batch,))  # <- CA103
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        backward(loss)
        optimizer.step()
        print(f"step {step}: {batch} samples, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
