"""Batches are pieces that `split` makes, the last of them short."""

# finds CA101 /multiple|split/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
model = nn.Linear(4, 2)


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


def epoch(data: torch.Tensor) -> None:
    for piece in data.split(6):  # <- CA101
        model.zero_grad()
        backward(model(piece).square().mean())


rows = torch.randn(20, 4)
for _ in range(3):
    epoch(rows)
