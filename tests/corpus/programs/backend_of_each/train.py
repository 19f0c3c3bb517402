"""Several regressions on one trunk."""

import torch
import torch.nn as nn
from heads import Heads


def main():
    torch.manual_seed(12)
    trunk = nn.Linear(6, 8)
    heads = Heads(8, tasks=5)
    weights = [*trunk.parameters()]
    optimizer = torch.optim.SGD(weights, lr=0.05)
    x = torch.randn(20, 6)
    for _ in range(4):
        hidden = trunk(x)
        loss = sum(
            (head(hidden) - x[:, task]).square().mean() for task, head in enumerate(heads.made)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"FINAL {loss.item():.5f}")


if __name__ == "__main__":
    main()
