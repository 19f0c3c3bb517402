"""LayerDrop: each step leaves random residual layers out.

A layer that is left out has no nodes in the autograd graph, so every number of layers that
comes up is a backward of its own. (Which ones does not matter as long as they are alike.)

    ca run sample_scripts/ca202_branch_bad.py

What to look for: CA202, with the layers that take part in one backward and not in another.
"""

import torch
from torch import nn


class LayerDropNet(nn.Module):
    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.head = nn.Linear(width, 1)

    def forward(self, x, kept):
        for layer, keep in zip(self.layers, kept, strict=True):
            if keep:  # <- CA202
                x = x + torch.tanh(layer(x))
        return self.head(x)


def main() -> None:
    torch.manual_seed(0)
    model = LayerDropNet(width=8, depth=3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(16, 8), torch.randn(16, 1)
    backward_compiler = torch.compile(backend="eager")

    for step in range(8):
        kept = torch.rand(3) > 0.4
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(inputs, kept), targets)
        with torch._dynamo.compiled_autograd._enable(backward_compiler):
            loss.backward()
        optimizer.step()
        print(f"step {step}: {int(kept.sum())} of 3 layers, loss {loss.item():.6f}")


if __name__ == "__main__":
    main()
