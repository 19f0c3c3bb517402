"""A mixture of experts that gives every row to every expert.

The fix of ``ca403_data_dependent_counts_bad.py``: dense dispatch. What an expert makes of a row
that was not meant for it is multiplied by zero, so no size depends on the data.

    ca run sample_scripts/ca403_data_dependent_counts_fixed.py

What to look for: one capture, and nothing to report.
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
            mine = (chosen == number).unsqueeze(1)
            out = out + mine * expert(x)
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
