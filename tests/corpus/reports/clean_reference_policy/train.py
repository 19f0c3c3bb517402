"""Preference tuning: the reference policy is the model without its adapter."""
import contextlib

import torch
import torch.nn.functional as F
from torch import nn


class AdaptedLinear(nn.Module):
    def __init__(self, width, rank=2):
        super().__init__()
        self.base = nn.Linear(width, width)
        self.base.requires_grad_(False)
        self.down = nn.Linear(width, rank, bias=False)
        self.up = nn.Linear(rank, width, bias=False)
        self.disabled = False

    def forward(self, x):
        out = self.base(x)
        if self.disabled:
            return out
        return out + self.up(self.down(x))


@contextlib.contextmanager
def without_adapter(policy):
    policy.disabled = True
    try:
        yield
    finally:
        policy.disabled = False


def main():
    torch.manual_seed(30)
    policy = AdaptedLinear(12)
    model = torch.compile(policy, backend="eager")
    optimizer = torch.optim.SGD([p for p in policy.parameters() if p.requires_grad], lr=0.1)
    for _ in range(5):
        chosen, rejected = torch.randn(2, 8, 12)
        with without_adapter(policy), torch.no_grad():
            margin = model(chosen).sum(-1) - model(rejected).sum(-1)
        gain = model(chosen).sum(-1) - model(rejected).sum(-1) - margin
        loss = -F.logsigmoid(0.1 * gain).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.5f}")


if __name__ == "__main__":
    main()
