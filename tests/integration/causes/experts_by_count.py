"""Each expert gets another number of rows in every step; no graph is captured twice."""

# finds CA403 /independent of the data|mask/
# never /last batch|pad to one length/
import torch
from torch import nn
from torch._dynamo import compiled_autograd

experts = [nn.Linear(6, 6) for _ in range(2)]
for parameter in (p for expert in experts for p in expert.parameters()):
    parameter.grad = torch.zeros_like(parameter)


def mixed(tokens: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    output = torch.zeros_like(tokens)
    for number, expert in enumerate(experts):
        rows = (chosen == number).nonzero().flatten()  # <- CA403
        picked = expert(tokens[rows])  # <- CA403
        output = output.index_add(0, rows, picked)  # <- CA403
    return output


with compiled_autograd._enable(torch.compile(backend="eager", dynamic=False)):
    for step in range(5):
        tokens = torch.randn(24, 6)
        chosen = (torch.arange(24) % 12 < 4 + step).long()
        (mixed(tokens, chosen) - tokens).square().mean().backward()
