"""MAML of second order: the inner gradient and the outer backward, each always the same."""

# finds nothing
import torch
from torch import nn
from torch.func import functional_call

torch._dynamo.config.compiled_autograd = True
learner = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(learner.parameters())


def task() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(6, 4)
    return x, x.sum(1, keepdim=True)


def loss_of(weights: dict[str, torch.Tensor]) -> torch.Tensor:
    x, y = task()
    return nn.functional.mse_loss(functional_call(learner, weights, (x,)), y)


with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
    for _ in range(5):
        weights = dict(learner.named_parameters())
        inner = torch.autograd.grad(loss_of(weights), list(weights.values()), create_graph=True)
        adapted = {
            name: weight - 0.1 * slope
            for (name, weight), slope in zip(weights.items(), inner, strict=True)
        }
        optimizer.zero_grad()
        loss_of(adapted).backward()
        optimizer.step()
