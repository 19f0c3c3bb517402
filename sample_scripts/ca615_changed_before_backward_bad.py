"""A buffer that a compiled forward changes in place, and that scales its loss.

The backward computes the scale once more from the buffer, which has been changed by then.

    ca run sample_scripts/ca615_changed_before_backward_bad.py

What to look for: CA615 at the line that counts, an error. The losses are those of the fixed one,
the gradients are not.
"""

import torch
from torch import nn


class Warming(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 1)
        self.calls: torch.Tensor
        self.register_buffer("calls", torch.tensor(0.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1  # <- CA615
        return self.inner(x).square().mean() * torch.clamp(self.calls / 10, max=1.0)


def main() -> None:
    torch.manual_seed(0)
    model = Warming()
    compiled = torch.compile(model, backend="aot_eager")
    for step in range(4):
        model.zero_grad()
        loss = compiled(torch.randn(16, 6))
        loss.backward()
        assert model.inner.weight.grad is not None
        gradient = model.inner.weight.grad.norm().item()
        print(f"step {step}: loss {loss.item():.4f}, gradient {gradient:.4f}")


if __name__ == "__main__":
    main()
