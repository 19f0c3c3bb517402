"""REINFORCE on a toy curling sheet: sweep the stone so that it stops in the house."""

import random

import torch
from torch import nn, optim
from torch.distributions import Categorical
from torch.nn import functional as F

GAMMA, EPISODES, MAX_STEPS = 0.97, 8, 6
torch.manual_seed(4)
rng = random.Random(4)


class Sheet:
    """The stone slides until it has no speed; sweeping keeps it going."""

    def reset(self):
        self.place, self.speed, self.steps = 0.0, rng.uniform(0.9, 2.2), 0
        return self.observe()

    def observe(self):
        return torch.tensor([self.place, self.speed, 6.0 - self.place])

    def step(self, action):
        friction = (0.45, 0.3, 0.2)[action]
        self.speed = max(0.0, self.speed - friction + rng.gauss(0, 0.05))
        self.place += self.speed
        self.steps += 1
        done = self.speed == 0.0 or self.place > 8 or self.steps == MAX_STEPS
        reward = -abs(6.0 - self.place) if done else -0.01 * action
        return self.observe(), reward, done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(3, 24)
        self.affine2 = nn.Linear(24, 3)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.affine2(x), dim=-1)


policy = Policy()
optimizer = optim.Adam(policy.parameters(), lr=1e-2)


def select_action(state):
    m = Categorical(policy(state.unsqueeze(0)))
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item()


def finish_episode():
    R, returns = 0, []
    for r in policy.rewards[::-1]:
        R = r + GAMMA * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    steps = zip(policy.saved_log_probs, returns, strict=True)
    policy_loss = [-log_prob * R for log_prob, R in steps]
    optimizer.zero_grad()
    policy_loss = torch.cat(policy_loss).sum()
    policy_loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]


def main():
    env, running_reward = Sheet(), -5.0
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
        for episode in range(EPISODES):
            state, done = env.reset(), False
            while not done:
                state, reward, done = env.step(select_action(state))
                policy.rewards.append(reward)
            running_reward = 0.05 * sum(policy.rewards) + 0.95 * running_reward
            print(f"{episode}\tlength {len(policy.rewards)}\taverage {running_reward:.2f}")
            finish_episode()


if __name__ == "__main__":
    main()
