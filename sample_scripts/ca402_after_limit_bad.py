"""A compiled forward that reaches the recompile limit.

As in ``ca401_forward_cascade_bad.py`` the slope is a Python float. At the limit Dynamo gives
up on the forward, which runs uncompiled from then on. The backward does not get off so
lightly: each value is now saved by an eager node, and captured.

    ca run sample_scripts/ca402_after_limit_bad.py

What to look for: CA402, with the guard that used the limit up, and its line.
"""

import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
# The default is 8; here to see in five steps what else takes nine.
torch._dynamo.config.recompile_limit = 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 12)
        self.outer = nn.Linear(12, 1)
        self.slope = 0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.inner(x)
        hidden = nn.functional.leaky_relu(hidden, self.slope)
        return self.outer(hidden)


def main() -> None:
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, backend="aot_eager")

    @torch.compile(backend="eager")
    def backward(loss: torch.Tensor) -> None:
        loss.backward()

    for step in range(5):
        model.slope = 0.5 - 0.1 * step  # <- CA402
        optimizer.zero_grad()
        loss = compiled(torch.randn(8, 6)).square().mean()
        backward(loss)
        optimizer.step()
        print(f"step {step}: loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
