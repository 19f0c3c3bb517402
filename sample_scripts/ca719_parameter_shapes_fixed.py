"""An optimizer's update is compiled for all parameters at once.

    ca run sample_scripts/ca719_parameter_shapes_fixed.py

What to look for: nothing.
"""

import torch
from torch import nn


def orthogonalised(gradient: torch.Tensor, rounds: int) -> torch.Tensor:
    found = gradient / (gradient.norm() + 1e-7)
    if gradient.size(0) > gradient.size(1):
        found = found.T
    for _ in range(rounds):
        found = 1.5 * found - 0.5 * (found @ found.T) @ found
    return found.T if gradient.size(0) > gradient.size(1) else found


@torch.compile(backend="eager")
def all_orthogonalised(gradients: list[torch.Tensor], rounds: int) -> list[torch.Tensor]:
    return [orthogonalised(gradient, rounds) for gradient in gradients]


class Orthogonal(torch.optim.Optimizer):
    def __init__(self, parameters: list[nn.Parameter], lr: float) -> None:
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        for group in self.param_groups:
            changes = all_orthogonalised([one.grad for one in group["params"]], 5)
            for parameter, change in zip(group["params"], changes, strict=True):
                parameter.sub_(change, alpha=group["lr"])


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16, bias=False), nn.ReLU(), nn.Linear(16, 4, bias=False))
    optimizer = Orthogonal(list(model.parameters()), lr=0.02)
    for step in range(4):
        loss = model(torch.linspace(-1, 1, 48).view(8, 6)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: {loss.item():.6f}")


if __name__ == "__main__":
    main()
