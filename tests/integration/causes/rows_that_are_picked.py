"""A compiled loss picks the rows that have a label, as many as there are."""

# finds CA807 /mask|torch\.where|capture_dynamic_output_shape_ops/
import torch
from torch import nn

model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


@torch.compile(backend="eager")
def loss_of(x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    scores = model(x)
    known = torch.nonzero(labels >= 0).flatten()  # <- CA807
    return nn.functional.cross_entropy(scores[known], labels[known])


for _ in range(5):
    labels = torch.randint(-1, 3, (16,))
    loss_of(torch.randn(16, 6), labels).backward()
    optimizer.step()
    optimizer.zero_grad()
