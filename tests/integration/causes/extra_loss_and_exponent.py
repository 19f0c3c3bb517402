"""A second term joins the loss in the last two epochs; the exponent of the first is annealed."""

# finds CA206 /tensor/
# finds CA202|CA209 /every step|both|0-or-1/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
for parameter in model.parameters():
    parameter.grad = torch.zeros_like(parameter)


def loss_of(output: torch.Tensor, power: float, smooth: bool) -> torch.Tensor:
    loss = (output.abs() + 0.1).pow(power).mean()  # <- CA206
    if smooth:  # <- CA202|CA209
        loss = loss + output.sin().square().mean()  # <- CA202|CA209
    return loss


with compiled_autograd._enable(torch.compile(backend="eager")):
    for epoch in range(4):
        for _ in range(2):
            loss_of(model(torch.randn(3, 5)), 1.5 + 0.5 * epoch, smooth=epoch >= 2).backward()
            model.zero_grad(set_to_none=False)
