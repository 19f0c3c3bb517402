"""The head first, then all of it: two phases of one loop, called in two places."""

# finds CA207 /requires_grad/
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
model = nn.Sequential(body, nn.Linear(8, 2))


@torch.compile(backend="eager")
def backward(loss: torch.Tensor) -> None:
    loss.backward()


def fit(steps: int) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        backward(model(torch.randn(6, 4)).square().mean())
        optimizer.step()


body.requires_grad_(False)  # <- CA207
fit(3)
body.requires_grad_(True)  # <- CA207
fit(3)
