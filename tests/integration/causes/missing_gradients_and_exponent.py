"""Gradients are dropped in the step in which the exponent of the loss changes."""

# finds CA206 /tensor/
# finds CA201 /set_to_none=False/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

with compiled_autograd._enable(torch.compile(backend="eager")):
    for epoch in range(4):
        power = 1.5 + 0.5 * epoch
        for _ in range(2):
            error = model(torch.randn(3, 5)).abs() + 0.1
            error.pow(power).mean().backward()  # <- CA206
        optimizer.step()
        optimizer.zero_grad()  # <- CA201
