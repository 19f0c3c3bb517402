"""An adaptive weight from two gradients at the last layer, then the backward: nothing is wrong."""

# finds nothing
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
decoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 5))
judge = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(decoder.parameters())
judge.requires_grad_(False)


def adaptive(rebuilt: torch.Tensor, judged: torch.Tensor) -> torch.Tensor:
    last = decoder[-1].weight
    (one,) = torch.autograd.grad(rebuilt, last, retain_graph=True)
    (other,) = torch.autograd.grad(judged, last, retain_graph=True)
    return (one.norm() / (other.norm() + 1e-4)).clamp(0, 100).detach()


with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
    for _ in range(4):
        x = torch.randn(6, 5)
        guess = decoder(torch.randn(6, 4))
        rebuilt, judged = (x - guess).abs().mean(), -judge(guess).mean()
        optimizer.zero_grad()
        (rebuilt + adaptive(rebuilt, judged) * judged).backward()
        optimizer.step()
