"""Collects with the policy in evaluation mode and learns in training mode, round by round."""

import torch
from policy import Policy
from torch.nn import functional


class Learner:
    def __init__(self, policy):
        self.policy = policy
        self.compiled = torch.compile(policy, backend="eager")
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)

    def collect(self, observations):
        self.policy.eval()
        return self.compiled(observations).argmax(1).detach()

    def learn(self, observations, actions):
        self.policy.train()
        loss = functional.cross_entropy(self.compiled(observations), actions)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main():
    torch.manual_seed(0)
    learner = Learner(Policy())
    for _ in range(6):
        observations = torch.randn(8, 6)
        learner.learn(observations, learner.collect(observations))


if __name__ == "__main__":
    main()
