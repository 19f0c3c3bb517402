"""The loss picks the rows that a random mask leaves; an auxiliary loss runs if there are many."""

# finds CA403 /independent of the data|mask/
# finds CA202 /0-or-1/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
torch.manual_seed(1)
encoder, head, extra = nn.Linear(6, 8), nn.Linear(8, 5), nn.Linear(8, 2)
parameters = [*encoder.parameters(), *head.parameters(), *extra.parameters()]


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


for parameter in parameters:
    parameter.grad = torch.zeros_like(parameter)
for step in range(10):
    for parameter in parameters:
        parameter.grad.zero_()
    hidden = encoder(torch.randn(16, 6)).tanh()
    keep = torch.rand(16) < 0.5
    picked = hidden[keep]  # <- CA403
    loss = nn.functional.cross_entropy(head(picked), torch.randint(0, 5, (len(picked),)))
    if step % 3 == 2:  # <- CA202
        loss = loss + extra(hidden).square().mean()
    backward(loss)
