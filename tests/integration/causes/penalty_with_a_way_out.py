"""A gradient penalty takes a second derivative of a compiled critic; else the loss is used."""

# finds CA603 /eager|uncompiled|without/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

critic = nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 1))
judged = torch.compile(critic, backend="aot_eager")


def slopes(points: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad(judged(points).sum(), points, create_graph=True)[0]  # <- CA603


with compiled_autograd._enable(torch.compile(backend="aot_eager")):
    for _ in range(3):
        points = torch.randn(3, 6, requires_grad=True)
        critic.zero_grad(set_to_none=True)
        try:
            (slopes(points).norm(dim=1) - 1).square().mean().backward()
        except RuntimeError:
            judged(points).mean().backward()
