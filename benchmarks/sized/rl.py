"""Reinforcement learning: policies are trained on whole trajectories, of any length."""

import random

import torch

torch.set_num_threads(1)
torch.manual_seed(0)
random.seed(0)


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(48, 256), torch.nn.Tanh(), torch.nn.Linear(256, 256), torch.nn.Tanh()
        )
        self.actions = torch.nn.Linear(256, 6)
        self.value = torch.nn.Linear(256, 1)

    def forward(self, seen):
        hidden = self.body(seen)
        return self.actions(hidden).log_softmax(-1), self.value(hidden).squeeze(-1)


policy = torch.compile(Policy(), backend="aot_eager")
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
for _ in range(150):
    steps = random.randint(150, 1500)
    logs, values = policy(torch.randn(steps, 48))
    returns = torch.randn(steps)
    loss = -(logs[:, 0] * returns).mean() + (values - returns).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
