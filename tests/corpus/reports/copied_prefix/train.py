"""Flow-matching policy: denoise an action against a prefix cache."""
import copy

import torch
from torch import nn


class PrefixCache:
    def __init__(self):
        self.states = []

    def extended(self, state):
        self.states.append(state)
        return torch.stack(self.states).mean(0)


class ActionExpert(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.read = nn.Linear(width, width)
        self.time = nn.Linear(1, width)
        self.velocity = nn.Linear(width, width)

    def encode(self, observation):
        cache = PrefixCache()
        cache.states = [self.read(observation).tanh(), observation]
        return cache

    def forward(self, action, t, prefix):
        cache = copy.deepcopy(prefix)
        context = cache.extended(self.read(action))
        return self.velocity(context + self.time(t))


@torch.no_grad()
def main():
    torch.manual_seed(14)
    expert = ActionExpert().eval()
    denoise = torch.compile(expert, backend="eager")
    total = 0.0
    for _ in range(3):
        prefix = expert.encode(torch.randn(5, 12))
        action = torch.randn(5, 12)
        for number in range(6):
            t = torch.full((5, 1), number / 6)
            action = action + denoise(action, t, prefix) / 6
        total += action.abs().mean().item()
    print(f"mean action {total / 3:.5f}")


if __name__ == "__main__":
    main()
