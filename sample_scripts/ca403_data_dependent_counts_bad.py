"""A mixture of experts that hands each expert the rows the router chose for it.

How many rows an expert gets is a matter of the data. Every count is a size in the backward,
they change in each step and independently of each other, and now and then one is 0 or 1, for
which Dynamo compiles separately.

    ca run sample_scripts/ca403_data_dependent_counts_bad.py

What to look for: CA403, with the nodes that pick the rows; few captures, many recompiles.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Experts(nn.Module):
    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        chosen = self.router(x).argmax(dim=1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = (chosen == number).nonzero().flatten()
            out = out.index_add(0, rows, expert(x[rows]))  # <- CA403
        return out


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 6), Experts(6, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step in range(8):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 6)).square().mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
